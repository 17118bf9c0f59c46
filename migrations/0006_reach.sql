-- Users, and what belongs to them; metadata and tags of memories; keys that are bound to an owner.

-- The person whom a session serves. Messages, memories and episodes inherit it.
ALTER TABLE sessions ADD COLUMN user_id TEXT;
-- The widest scope of the session's model: `session`, `user`, `agent`, `project` or `tenant`. NULL: its default.
ALTER TABLE sessions ADD COLUMN reach TEXT;
ALTER TABLE messages ADD COLUMN user_id TEXT;
-- 1 when what was extracted from the message no longer holds: a default recall leaves it out.
ALTER TABLE messages ADD COLUMN outdated INTEGER NOT NULL DEFAULT 0;
ALTER TABLE episodes ADD COLUMN user_id TEXT;
ALTER TABLE memories ADD COLUMN user_id TEXT;

-- JSON: an object, and a sorted list.
ALTER TABLE memories ADD COLUMN metadata TEXT NOT NULL DEFAULT '{}';
ALTER TABLE memories ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';

-- Within which a topic key is unique. A key that the caller gives is unique in the memory's scope, or for its user; a
-- key derived from the content for the memory's owner, so that a later session can supersede it.
ALTER TABLE memories ADD COLUMN topic_scope TEXT;
UPDATE memories SET topic_scope = scope WHERE topic_key IS NOT NULL;
DROP INDEX memories_by_topic;
CREATE INDEX memories_by_topic ON memories (tenant, topic_scope, topic_key) WHERE topic_key IS NOT NULL;

CREATE INDEX sessions_by_user ON sessions (tenant, user_id, created_at) WHERE user_id IS NOT NULL;
CREATE INDEX messages_by_user ON messages (tenant, user_id, timestamp) WHERE user_id IS NOT NULL;
CREATE INDEX episodes_by_user ON episodes (tenant, user_id, timestamp, id) WHERE user_id IS NOT NULL;
-- `live` comes before the time, so that live memories are counted and listed from the index alone.
CREATE INDEX memories_by_user ON memories (tenant, user_id, live, timestamp, id) WHERE user_id IS NOT NULL;

-- JSON: the ids that every call of the key is limited to.
ALTER TABLE api_keys ADD COLUMN binding TEXT;
