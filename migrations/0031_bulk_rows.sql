-- Memories are written together, and their write counts them in one statement: a trigger wrote a row for each of them.
DROP TRIGGER IF EXISTS memories_counted;
