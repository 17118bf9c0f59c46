// Changes of a whole container: several spaces in one step, with one new revision of the container. All or none.
import { type Failure, fail, ok, type Result } from "../../kernel/errors";
import type { JsonObject } from "../../kernel/json";
import {
  asOneChange,
  BUILT_IN_SPACES,
  checkContainerRev,
  checkTotals,
  createSpaceContainer,
  deleteSpace,
  type Expiries,
  type SpaceContainer,
  type SpaceData,
  stageOps,
  stagePut,
} from "./space-container";
import type { MemoryPatch, MemoryPut } from "./space-schemas";

/** The contents of a space, apart from its revision. */
export type WholeSpace = {
  data: SpaceData;
  metadata?: JsonObject | undefined;
  expires?: Expiries | undefined;
};

type ContainerPut = Omit<MemoryPut, "spaces"> & {
  spaces: Readonly<Record<string, WholeSpace & { expected_rev?: number | undefined }>>;
};

/**
 * Replaces all spaces and the metadata of a container, which has all its spaces loaded. A space that is not given is
 * deleted; `tasks` and `world` are emptied.
 */
export function replaceContainer(
  container: SpaceContainer,
  { spaces, metadata = {}, expected_memory_rev }: ContainerPut,
  now: string,
): Result<SpaceContainer> {
  const initial = createSpaceContainer(container.id, container.created_at).spaces;
  const emptied = BUILT_IN_SPACES.filter((name) => !Object.hasOwn(spaces, name)).flatMap((name) => {
    const { data = {} } = initial[name] ?? {};
    const current = container.spaces[name];
    const isEmpty =
      current === undefined || Object.keys({ ...current.data, ...current.metadata }).length === 0;
    return isEmpty ? [] : [{ name, change: { data, metadata: {}, ensure: false } }];
  });
  const deleted = Object.keys(container.spaces).filter(
    (name) => !Object.hasOwn(spaces, name) && !Object.hasOwn(initial, name),
  );
  const changes: NamedChange[] = [
    ...deleted.map((name) => ({ name, change: null })),
    ...emptied,
    ...Object.entries(spaces).map(([name, { data, metadata = {}, expires, expected_rev }]) => ({
      name,
      change: { data, metadata, expires, ensure: false, expected_rev },
    })),
  ];
  return changeContainer(container, { changes, metadata, expected_memory_rev }, now);
}

/** Changes the named spaces, which are loaded, and replaces the metadata if it is given. */
export function updateContainer(
  container: SpaceContainer,
  { spaces = {}, metadata, expected_memory_rev }: MemoryPatch,
  now: string,
): Result<SpaceContainer> {
  const changes = Object.entries(spaces).map(([name, change]) => ({ name, change }));
  return changeContainer(container, { changes, metadata, expected_memory_rev }, now);
}

type SpaceChange = NonNullable<MemoryPatch["spaces"]>[string];
type NamedChange = { name: string; change: SpaceChange };

function changeContainer(
  container: SpaceContainer,
  {
    changes,
    metadata,
    expected_memory_rev,
  }: {
    changes: readonly NamedChange[];
    metadata: JsonObject | undefined;
    expected_memory_rev?: number | undefined;
  },
  now: string,
): Result<SpaceContainer> {
  // The container itself is the target, so it provides both revisions of the failure.
  const stale = checkContainerRev(container, { expected_memory_rev }, container.rev);
  if (stale !== null) return stale;
  let after = container;
  for (const { name, change } of changes) {
    const changed = changeSpace(after, name, change, now);
    if (!changed.ok) return refuseChange(container, name, changed.failure);
    after = changed.value;
  }
  if (metadata !== undefined) after = { ...after, metadata, updated_at: now };
  return checkTotals(after) ?? ok(asOneChange(container, after));
}

function changeSpace(
  container: SpaceContainer,
  name: string,
  change: NamedChange["change"],
  now: string,
): Result<SpaceContainer> {
  if (change === null) return deleteSpace(container, name, {}, now);
  if ("ops" in change) return stageOps(container, name, change.ops, change, now);
  const put = stagePut(container, name, change, now);
  return put.ok ? ok(put.value.container) : put;
}

/** Names the space in the paths of the failure, and the revisions from before the call. */
function refuseChange(container: SpaceContainer, name: string, failure: Failure): Result<never> {
  const { code, detail, errors, current_rev } = failure;
  const within = errors?.map(({ path, message }) => ({ path: `spaces.${name}.${path}`, message }));
  const [first] = within ?? [];
  const named = detail.startsWith("ops.") ? `spaces.${name}.${detail}` : detail;
  return fail(code, first === undefined ? named : `${first.path}: ${first.message}`, {
    ...(within !== undefined && { errors: within }),
    ...(current_rev !== undefined && { current_rev, current_memory_rev: container.rev }),
  });
}
