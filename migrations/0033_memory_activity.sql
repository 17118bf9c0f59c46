-- How a memory came to be: the kind of work, the key of the call, the importance with its parts, the model (JSON).
-- It is part of the row that is written anyway, so it costs no row more. NULL for memories of earlier versions. No triple
-- states it: a rebuild keeps it where the row exists.
ALTER TABLE memories ADD COLUMN activity TEXT;
-- When it was stored, if that was not about its timestamp: a promotion stores what was said before.
ALTER TABLE memories ADD COLUMN recorded_at TEXT;
