-- Evidence names messages by their id: their source bounds the rank of what rests on them.
CREATE INDEX messages_by_id ON messages (tenant, id);
