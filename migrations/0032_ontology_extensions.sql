-- The terms and shapes that tenants add to the ontology (docs/ontology.md): one row per version of an extension.
CREATE TABLE ontology_extensions (
  tenant TEXT NOT NULL,
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  turtle TEXT NOT NULL,
  created_at TEXT NOT NULL,
  -- 1 for the version that holds. A deleted extension has none.
  current INTEGER NOT NULL,
  PRIMARY KEY (tenant, name, version)
) WITHOUT ROWID;
-- Every call compares these versions with those that it knows.
CREATE INDEX ontology_extensions_current ON ontology_extensions (tenant, name, version) WHERE current = 1;
