-- One layout of the triples for cheap writes and for queries over the graph: `statements` is clustered by subject and
-- has one index, of resources. `triples` becomes a view of it with compact IRIs, which statements read and write.
--
-- The triples of the earlier layout stay in `triples_v1` until the sweep has moved them, a page at a time. The view
-- shows those of both tables; each triple is in one of them. When all are moved, the sweep drops `triples_v1` and replaces
-- the view by one of `statements` alone (src/store/triples/move-triples.ts).

ALTER TABLE triples RENAME TO triples_v1;

CREATE TABLE predicates (
  number INTEGER PRIMARY KEY,
  iri TEXT NOT NULL UNIQUE
);
-- The properties of the ontology; any other predicate gets the next number on its first use. The first seven are looked
-- up by their literals, so the index by object includes them.
INSERT INTO predicates (number, iri) VALUES
  (1, 'jido:graphKey'), (2, 'jido:aboutNode'), (3, 'jido:relationFrom'), (4, 'jido:relationTo'), (5, 'jido:inGraph'),
  (6, 'jido:topicKey'), (7, 'jido:linkRelation'), (8, 'rdf:type'), (9, 'jido:summary'), (10, 'jido:confidenceValue'),
  (11, 'jido:importanceScore'), (12, 'jido:hasSourceType'), (13, 'jido:hasTimestamp'), (14, 'jido:assertedIn'),
  (15, 'jido:assertedBy'), (16, 'jido:concernsUser'), (17, 'jido:appliesToProject'), (18, 'jido:rationale'),
  (19, 'jido:derivedFrom'), (20, 'jido:memoryMetadata'), (21, 'jido:tag'), (22, 'jido:validFrom'),
  (23, 'jido:validUntil'), (24, 'jido:supersededBy'), (25, 'jido:invalidatedBy'), (26, 'jido:forgottenAt'),
  (27, 'jido:forgetReason'), (28, 'jido:accessCount'), (29, 'jido:lastAccessed'), (30, 'jido:hasConfidence'),
  (31, 'jido:detailedExplanation'), (32, 'jido:refines'), (33, 'jido:confirms'), (34, 'jido:contradicts'),
  (35, 'jido:hasEvidenceStrength'), (36, 'jido:hasAlternative'), (37, 'jido:selectedAlternative'),
  (38, 'jido:hasTradeOff'), (39, 'jido:justifiedBy'), (40, 'jido:decisionStatus'), (41, 'jido:impactLevel'),
  (42, 'jido:dependsOn'), (43, 'jido:blockedBy'), (44, 'jido:partOfMilestone'), (45, 'jido:partOfPlan'),
  (46, 'jido:assignedTo'), (47, 'jido:createdBy'), (48, 'jido:hasTaskStatus'), (49, 'jido:taskCreatedAt'),
  (50, 'jido:taskStartedAt'), (51, 'jido:taskCompletedAt'), (52, 'jido:appliesToModule'),
  (53, 'jido:appliesToDomain'), (54, 'jido:governsAgent'), (55, 'jido:hasConventionScope'),
  (56, 'jido:hasEnforcementLevel'), (57, 'jido:conventionName'), (58, 'jido:conventionDescription'),
  (59, 'jido:violationConsequence'), (60, 'jido:hasRootCause'), (61, 'jido:producedLesson'),
  (62, 'jido:relatedError'), (63, 'jido:hasErrorStatus'), (64, 'jido:severityLevel'), (65, 'jido:errorCode'),
  (66, 'jido:continuesSession'), (67, 'jido:hasPreviousSession'), (68, 'jido:hasParticipatingAgent'),
  (69, 'jido:hasPrimaryAgent'), (70, 'jido:hasStatus'), (71, 'jido:hasPhase'), (72, 'jido:startedAt'),
  (73, 'jido:endedAt'), (74, 'jido:spawnedSubAgent'), (75, 'jido:reportsTo'), (76, 'jido:hasRole'),
  (77, 'jido:hasCapability'), (78, 'jido:agentName'), (79, 'jido:agentVersion'), (80, 'jido:agentDescription'),
  (81, 'jido:hasRepository'), (82, 'jido:hasModule'), (83, 'jido:hasDomain'), (84, 'jido:partOfProject'),
  (85, 'jido:repoUrl'), (86, 'jido:repoBranch'), (87, 'jido:projectName'), (88, 'jido:projectVersion'),
  (89, 'jido:projectDescription'), (90, 'jido:definedInFile'), (91, 'jido:partOfModule'), (92, 'jido:implementsDSL'),
  (93, 'jido:emitsEvent'), (94, 'jido:handledByProjection'), (95, 'jido:moduleName'), (96, 'jido:filePath'),
  (97, 'jido:codeSummary'), (98, 'jido:supersedes'), (99, 'jido:belongsTo'), (100, 'jido:relatedTo'),
  (101, 'jido:elaborates'), (102, 'jido:exampleOf'), (103, 'jido:refersTo'), (104, 'jido:appliesToFile'),
  (105, 'jido:supports'), (106, 'jido:linkFrom'), (107, 'jido:linkTo'), (108, 'jido:hasOutcome'),
  (109, 'jido:performedBy'), (110, 'jido:decayedAt'), (111, 'jido:namespace'), (112, 'jido:entrySource'),
  (113, 'jido:entryMetadata'), (114, 'jido:entryLasting'), (115, 'jido:entryTurn'), (116, 'jido:entryPart'),
  (117, 'jido:nodeName'), (118, 'jido:nodeType'), (119, 'jido:nodeCopy'), (120, 'jido:relationType'),
  (121, 'jido:linkStrength'), (122, 'jido:linkedAt'), (123, 'jido:resolution'), (124, 'jido:resolutionReason'),
  (125, 'jido:resolvedAt'), (126, 'jido:goal'), (127, 'jido:occurredAt'), (128, 'jido:durationSeconds'),
  (129, 'jido:episodePhase'), (130, 'jido:tokensUsed'), (131, 'jido:taskReference'), (132, 'jido:episodeTrace'),
  (133, 'jido:episodeSummary'), (134, 'jido:archivedAt'), (135, 'jido:category'), (136, 'jido:condition'),
  (137, 'jido:correctApproach'), (138, 'jido:incorrectApproach'), (139, 'jido:theme'), (140, 'jido:trigger'),
  (141, 'jido:cause'), (142, 'jido:fix'), (143, 'jido:prevention'), (144, 'jido:occurrences'),
  (145, 'jido:lastSeen'), (146, 'jido:skillName'), (147, 'jido:skillBody'), (148, 'rdfs:label'),
  (149, 'rdfs:comment');

CREATE TABLE statements (
  tenant TEXT NOT NULL,
  subject TEXT NOT NULL,
  predicate INTEGER NOT NULL,
  -- The object: an IRI, a literal, or the digest of a long literal.
  key TEXT NOT NULL,
  -- '' when the object is an IRI, else the literal's datatype, or '@' and its language.
  datatype TEXT NOT NULL,
  -- '' is the default graph.
  graph TEXT NOT NULL DEFAULT '',
  -- The text of a literal whose key is a digest.
  literal TEXT,
  -- The order in which the triples of a subject were written. It is not unique.
  position INTEGER NOT NULL,
  -- The value of a numeric literal, and of a date in seconds, so that they compare as such.
  number REAL GENERATED ALWAYS AS (CASE
    WHEN datatype IN ('xsd:integer', 'xsd:decimal', 'xsd:double', 'xsd:float', 'xsd:nonNegativeInteger')
      THEN iif(key GLOB '*[0-9]*' AND key NOT GLOB '*[^-+.0-9eE]*', CAST(key AS REAL), NULL)
    WHEN datatype IN ('xsd:dateTime', 'xsd:date') THEN iif(key GLOB '[0-9]*', unixepoch(key, 'subsec'), NULL)
  END) VIRTUAL,
  PRIMARY KEY (tenant, subject, predicate, key, datatype, graph)
) WITHOUT ROWID;
-- It covers the view. Otherwise SQLite, which has no statistics, prefers all statements of the tenant.
CREATE INDEX statements_by_object ON statements (tenant, key, predicate, literal, position)
  WHERE datatype = '' OR predicate < 8;

-- The casts give the columns of both tables the same affinity, without which SQLite reads the whole view for every join.
CREATE VIEW triples AS
SELECT stored.tenant, stored.subject, p.iri AS predicate, CAST(coalesce(stored.literal, stored.key) AS TEXT) AS object, stored.datatype, stored.graph,
  stored.key AS object_key, stored.predicate AS predicate_number, stored.position,
  CAST(iif(stored.literal IS NULL, NULL, stored.key) AS TEXT) AS digest
FROM statements stored JOIN predicates p ON p.number = stored.predicate
UNION ALL
SELECT earlier.tenant, earlier.subject, earlier.predicate, earlier.object, earlier.datatype, CAST('' AS TEXT),
  earlier.object_key, CAST(0 AS INTEGER), earlier.id, earlier.digest
FROM triples_v1 earlier WHERE earlier.predicate <> 'jido:hasConfidence';

CREATE TRIGGER triples_insert INSTEAD OF INSERT ON triples
BEGIN
  INSERT INTO predicates (iri) SELECT NEW.predicate WHERE NOT EXISTS (SELECT 1 FROM predicates WHERE iri = NEW.predicate);
  INSERT INTO statements (tenant, subject, predicate, key, datatype, graph, literal, position)
  SELECT NEW.tenant, NEW.subject, (SELECT number FROM predicates WHERE iri = NEW.predicate),
    iif(NEW.datatype = '', NEW.object, coalesce(NEW.digest, NEW.object)), coalesce(NEW.datatype, ''), coalesce(NEW.graph, ''),
    iif(NEW.datatype <> '' AND NEW.digest IS NOT NULL, NEW.object, NULL),
    coalesce(NEW.position, 1 + max(
      coalesce((SELECT max(position) FROM statements WHERE tenant = NEW.tenant AND subject = NEW.subject), -1),
      coalesce((SELECT max(id) FROM triples_v1 WHERE tenant = NEW.tenant AND subject = NEW.subject), -1)))
  WHERE NOT EXISTS (SELECT 1 FROM triples_v1 WHERE tenant = NEW.tenant AND subject = NEW.subject
    AND predicate = NEW.predicate AND object = NEW.object AND datatype = coalesce(NEW.datatype, ''))
  ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER triples_delete INSTEAD OF DELETE ON triples
BEGIN
  DELETE FROM statements WHERE tenant = OLD.tenant AND subject = OLD.subject AND predicate = OLD.predicate_number
    AND key = OLD.object_key AND datatype = OLD.datatype AND graph = OLD.graph;
  DELETE FROM triples_v1 WHERE tenant = OLD.tenant AND subject = OLD.subject AND predicate = OLD.predicate
    AND object_key = OLD.object_key AND datatype = OLD.datatype;
  -- The level follows from the confidence and is no longer stored.
  DELETE FROM triples_v1 WHERE OLD.predicate = 'jido:confidenceValue' AND tenant = OLD.tenant AND subject = OLD.subject
    AND predicate = 'jido:hasConfidence';
END;

CREATE TRIGGER triples_update INSTEAD OF UPDATE ON triples
BEGIN
  UPDATE statements SET key = iif(NEW.datatype = '', NEW.object, coalesce(NEW.digest, NEW.object)), datatype = NEW.datatype,
    literal = iif(NEW.datatype <> '' AND NEW.digest IS NOT NULL, NEW.object, NULL)
  WHERE tenant = OLD.tenant AND subject = OLD.subject AND predicate = OLD.predicate_number
    AND key = OLD.object_key AND datatype = OLD.datatype AND graph = OLD.graph;
  UPDATE triples_v1 SET object = NEW.object, datatype = NEW.datatype, digest = NEW.digest
  WHERE tenant = OLD.tenant AND subject = OLD.subject AND predicate = OLD.predicate
    AND object_key = OLD.object_key AND datatype = OLD.datatype;
END;
