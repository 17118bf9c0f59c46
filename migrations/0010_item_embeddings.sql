-- Embeddings that callers bring with their items, in place of one of the item's text.

-- Base64 of 32-bit floats, of length 1.
ALTER TABLE items ADD COLUMN embedding TEXT;
-- The embedder whose vectors it is compared with: under another one the text is embedded.
ALTER TABLE items ADD COLUMN embedder TEXT;
