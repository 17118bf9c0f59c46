-- What each tenant stores, counted by triggers: a quota and GET /v1/usage read one row instead of counting all of them.
CREATE TABLE tenant_usage (
  tenant TEXT PRIMARY KEY,
  memories INTEGER NOT NULL DEFAULT 0,
  messages INTEGER NOT NULL DEFAULT 0,
  sessions INTEGER NOT NULL DEFAULT 0,
  episodes INTEGER NOT NULL DEFAULT 0,
  -- UTF-8 bytes of the texts of memories, messages, episodes and items, without indexes and triples.
  bytes INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

INSERT INTO tenant_usage (tenant, memories, messages, sessions, episodes, bytes)
SELECT tenant, sum(memories), sum(messages), sum(sessions), sum(episodes), sum(bytes) FROM (
  SELECT tenant, 1 AS memories, 0 AS messages, 0 AS sessions, 0 AS episodes,
    length(CAST(content || coalesce(rationale, '') || evidence || properties || metadata || tags AS BLOB)) AS bytes
  FROM memories
  UNION ALL SELECT tenant, 0, 1, 0, 0, length(CAST(content AS BLOB)) FROM messages
  UNION ALL SELECT tenant, 0, 0, 1, 0, 0 FROM sessions
  UNION ALL SELECT tenant, 0, 0, 0, 1, length(CAST(goal || trace || coalesce(summary, '') AS BLOB)) FROM episodes
  UNION ALL SELECT tenant, 0, 0, 0, 0, length(CAST(value AS BLOB)) FROM items
) GROUP BY tenant;

CREATE TRIGGER memories_counted AFTER INSERT ON memories BEGIN
  INSERT INTO tenant_usage (tenant, memories, bytes) VALUES (NEW.tenant, 1,
    length(CAST(NEW.content || coalesce(NEW.rationale, '') || NEW.evidence || NEW.properties || NEW.metadata || NEW.tags AS BLOB)))
  ON CONFLICT (tenant) DO UPDATE SET memories = memories + 1, bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER memories_resized AFTER UPDATE OF content, rationale, evidence, properties, metadata, tags ON memories BEGIN
  UPDATE tenant_usage SET bytes = bytes
    + length(CAST(NEW.content || coalesce(NEW.rationale, '') || NEW.evidence || NEW.properties || NEW.metadata || NEW.tags AS BLOB))
    - length(CAST(OLD.content || coalesce(OLD.rationale, '') || OLD.evidence || OLD.properties || OLD.metadata || OLD.tags AS BLOB))
  WHERE tenant = NEW.tenant;
END;
CREATE TRIGGER memories_uncounted AFTER DELETE ON memories BEGIN
  UPDATE tenant_usage SET memories = memories - 1, bytes = bytes
    - length(CAST(OLD.content || coalesce(OLD.rationale, '') || OLD.evidence || OLD.properties || OLD.metadata || OLD.tags AS BLOB))
  WHERE tenant = OLD.tenant;
END;

-- The content of a message never changes.
CREATE TRIGGER messages_counted AFTER INSERT ON messages BEGIN
  INSERT INTO tenant_usage (tenant, messages, bytes) VALUES (NEW.tenant, 1, length(CAST(NEW.content AS BLOB)))
  ON CONFLICT (tenant) DO UPDATE SET messages = messages + 1, bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER messages_uncounted AFTER DELETE ON messages BEGIN
  UPDATE tenant_usage SET messages = messages - 1, bytes = bytes - length(CAST(OLD.content AS BLOB))
  WHERE tenant = OLD.tenant;
END;

CREATE TRIGGER sessions_counted AFTER INSERT ON sessions BEGIN
  INSERT INTO tenant_usage (tenant, sessions) VALUES (NEW.tenant, 1)
  ON CONFLICT (tenant) DO UPDATE SET sessions = sessions + 1;
END;
CREATE TRIGGER sessions_uncounted AFTER DELETE ON sessions BEGIN
  UPDATE tenant_usage SET sessions = sessions - 1 WHERE tenant = OLD.tenant;
END;

CREATE TRIGGER episodes_counted AFTER INSERT ON episodes BEGIN
  INSERT INTO tenant_usage (tenant, episodes, bytes)
  VALUES (NEW.tenant, 1, length(CAST(NEW.goal || NEW.trace || coalesce(NEW.summary, '') AS BLOB)))
  ON CONFLICT (tenant) DO UPDATE SET episodes = episodes + 1, bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER episodes_resized AFTER UPDATE OF goal, trace, summary ON episodes BEGIN
  UPDATE tenant_usage SET bytes = bytes + length(CAST(NEW.goal || NEW.trace || coalesce(NEW.summary, '') AS BLOB))
    - length(CAST(OLD.goal || OLD.trace || coalesce(OLD.summary, '') AS BLOB))
  WHERE tenant = NEW.tenant;
END;
CREATE TRIGGER episodes_uncounted AFTER DELETE ON episodes BEGIN
  UPDATE tenant_usage SET episodes = episodes - 1,
    bytes = bytes - length(CAST(OLD.goal || OLD.trace || coalesce(OLD.summary, '') AS BLOB))
  WHERE tenant = OLD.tenant;
END;

CREATE TRIGGER items_counted AFTER INSERT ON items BEGIN
  INSERT INTO tenant_usage (tenant, bytes) VALUES (NEW.tenant, length(CAST(NEW.value AS BLOB)))
  ON CONFLICT (tenant) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER items_resized AFTER UPDATE OF value ON items BEGIN
  UPDATE tenant_usage SET bytes = bytes + length(CAST(NEW.value AS BLOB)) - length(CAST(OLD.value AS BLOB))
  WHERE tenant = NEW.tenant;
END;
CREATE TRIGGER items_uncounted AFTER DELETE ON items BEGIN
  UPDATE tenant_usage SET bytes = bytes - length(CAST(OLD.value AS BLOB)) WHERE tenant = OLD.tenant;
END;
