-- Answers of idempotent calls expire long before the record that an operation was applied: the sweep finds them by time.
CREATE INDEX operations_answers_by_time ON operations (created_at) WHERE quotes = 1;
