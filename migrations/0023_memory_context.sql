-- Memories in context. The column `rationale` of the text index has all words around a memory: its rationale, its date,
-- who it is by, and the text that it follows. They weigh half of the memory's own words.
INSERT INTO memories_fts (memories_fts, rank) VALUES ('rank', 'bm25(0.0, 1.0, 0.5)');
