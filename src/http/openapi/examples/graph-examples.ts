// Who and what the project knows, as a graph.
import type { Examples } from "./example";

const PROJECT = { project_id: "shop" };
const MIA = { name: "Mia", entityType: "person", observations: ["Reviews payments"] };
const CHECKOUT = { name: "Checkout", entityType: "component", observations: ["Written in Elixir"] };
const CHECKOUT_NOW = {
  ...CHECKOUT,
  observations: [...CHECKOUT.observations, "Guests are known by their e-mail"],
};
const REVIEWS = { from: "Mia", to: "Checkout", relationType: "reviews" };

export const graphExamples: Examples = {
  "POST /v1/graph/create_entities": {
    body: { entities: [MIA, CHECKOUT], ...PROJECT },
    answer: { entities: [MIA, CHECKOUT] },
  },
  "POST /v1/graph/create_relations": {
    body: { relations: [REVIEWS], ...PROJECT },
    answer: { relations: [REVIEWS] },
  },
  "POST /v1/graph/add_observations": {
    body: {
      observations: [{ entityName: "Checkout", contents: ["Guests are known by their e-mail"] }],
      ...PROJECT,
    },
    answer: {
      results: [{ entityName: "Checkout", addedObservations: ["Guests are known by their e-mail"] }],
    },
  },
  "POST /v1/graph/read_graph": {
    body: PROJECT,
    answer: { entities: [MIA, CHECKOUT_NOW], relations: [REVIEWS] },
  },
  "POST /v1/graph/search_nodes": {
    body: { query: "elixir", ...PROJECT },
    answer: { entities: [CHECKOUT_NOW], relations: [REVIEWS] },
  },
  "POST /v1/graph/open_nodes": {
    body: { names: ["Mia"], ...PROJECT },
    answer: { entities: [MIA], relations: [REVIEWS] },
  },
  "POST /v1/graph/delete_observations": {
    body: {
      deletions: [{ entityName: "Checkout", observations: ["Written in Elixir"] }],
      ...PROJECT,
    },
    answer: { success: true, message: "Observations deleted successfully" },
  },
  "POST /v1/graph/delete_relations": {
    body: { relations: [REVIEWS], ...PROJECT },
    answer: { success: true, message: "Relations deleted successfully" },
  },
  "POST /v1/graph/delete_entities": {
    body: { entityNames: ["Mia"], ...PROJECT },
    answer: { success: true, message: "Entities deleted successfully" },
  },
};
