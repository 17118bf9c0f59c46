// The views of the console, in the order of the navigation.
import type { OwnKey } from "kioku/client";
import type { ComponentType } from "preact";
import { createLazyView } from "../components/lazy-view";
import { AdminView } from "./admin/admin-view";
import { EpisodeView } from "./experience/episode-view";
import { ExperienceView } from "./experience/experience-view";
import { HomeView } from "./home/home-view";
import { MemoriesView } from "./memories/memories-view";
import { MemoryView } from "./memories/memory-view";
import { SessionView } from "./sessions/session-view";
import { SessionsView } from "./sessions/sessions-view";
import { UserView } from "./users/user-view";
import { UsersView } from "./users/users-view";

type View = {
  /** The first segment of its address. */
  name: string;
  title: string;
  path: readonly string[];
  /** The scope that its calls need. */
  scope: "read" | "admin";
  component: ComponentType;
  /** The view of one item, if the address has a second segment. */
  item?: ComponentType;
  /** It shows metrics, and there are none of a user. */
  hasMetrics?: boolean;
};

const GraphView = createLazyView("Graph", async () => (await import("./graph/graph-view")).GraphView);
const SparqlView = createLazyView("SPARQL", async () => (await import("./sparql/sparql-view")).SparqlView);

export const VIEWS: readonly View[] = [
  { name: "", title: "Home", path: [], scope: "read", component: HomeView },
  {
    name: "memories",
    title: "Memories",
    path: ["memories"],
    scope: "read",
    component: MemoriesView,
    item: MemoryView,
  },
  {
    name: "sessions",
    title: "Sessions",
    path: ["sessions"],
    scope: "read",
    component: SessionsView,
    item: SessionView,
  },
  { name: "users", title: "Users", path: ["users"], scope: "read", component: UsersView, item: UserView },
  {
    name: "experience",
    title: "Experience",
    path: ["experience"],
    scope: "read",
    component: ExperienceView,
    item: EpisodeView,
    hasMetrics: true,
  },
  { name: "graph", title: "Graph", path: ["graph"], scope: "read", component: GraphView, item: GraphView },
  { name: "sparql", title: "SPARQL", path: ["sparql"], scope: "read", component: SparqlView },
  { name: "admin", title: "Admin", path: ["admin"], scope: "admin", component: AdminView },
];

/** Returns whether a key may make the calls of a view. */
export function isOffered({ scope, hasMetrics = false }: View, { scopes, tenant, bind }: OwnKey): boolean {
  if (!scopes.includes(scope)) return false;
  // The admin key belongs to no tenant.
  if (tenant === null) return scope === "admin";
  return !hasMetrics || bind?.user_id === undefined;
}

/** Returns the view at an address; Home if there is none. */
export function findView([name = "", item]: readonly string[]): View {
  const view = VIEWS.find((one) => one.name === name) ?? VIEWS[0];
  if (view === undefined) throw new Error("The console has no views");
  return item === undefined || view.item === undefined
    ? view
    : { ...view, component: view.item, hasMetrics: false };
}
