-- The privacy policies of a tenant and its projects, as JSON: {"tenant": policy, "projects": {id: policy}}.
CREATE TABLE privacy_policies (
  tenant TEXT PRIMARY KEY,
  rules TEXT NOT NULL,
  updated_at TEXT NOT NULL
) WITHOUT ROWID;
