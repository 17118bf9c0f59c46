// All commands, in the order in which the help lists them.
import type { Command } from "../command";
import { audit } from "./administration/audit";
import { doctor } from "./administration/doctor";
import { keyCommands } from "./administration/keys";
import { metrics } from "./administration/metrics";
import { privacyCommands } from "./administration/privacy";
import { shardCommands } from "./administration/shards";
import { usage } from "./administration/usage";
import { webhookCommands } from "./administration/webhooks";
import { defineCompletion } from "./completion";
import { eraseCommands, eraseMemory } from "./erase";
import { exportAll } from "./export";
import { forget } from "./forget";
import { importFile } from "./import";
import { init } from "./init";
import { lineageCommands } from "./lineage";
import { mcp } from "./mcp";
import { memoryCommands } from "./memories";
import { prime } from "./prime";
import { recall } from "./recall";
import { remember } from "./remember";
import { sessionCommands } from "./sessions";
import { skillCommands } from "./skills";
import { sparql } from "./sparql";
import { userCommands } from "./users";
import { watch } from "./watch";

export const COMMANDS: readonly Command[] = [
  init,
  mcp,
  remember,
  recall,
  ...memoryCommands,
  ...lineageCommands,
  forget,
  eraseMemory,
  prime,
  sparql,
  ...sessionCommands,
  watch,
  ...userCommands,
  ...eraseCommands,
  ...skillCommands,
  exportAll,
  importFile,
  metrics,
  usage,
  ...webhookCommands,
  ...privacyCommands,
  ...keyCommands,
  ...shardCommands,
  audit,
  doctor,
  defineCompletion(() => COMMANDS),
];
