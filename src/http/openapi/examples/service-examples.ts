// What is open to everybody.
import { VERSION } from "../../../version";
import type { Examples } from "./example";

export const serviceExamples: Examples = {
  "GET /health": { answer: { status: "ok", version: VERSION } },
  "GET /openapi.json": {
    answer: { openapi: "3.1.0", info: { title: "Kioku", version: VERSION }, paths: {} },
  },
  "GET /docs": { answer: "<!doctype html>…" },
};
