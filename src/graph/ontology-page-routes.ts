// The pages of the ontology, open to all: each term as HTML, Turtle or JSON-LD.
//
// The IRI of a term is the namespace with its name as a fragment. A client that follows it requests `/ontology`, which
// describes all terms; `/ontology/{term}` describes one. Links in a page name a syntax by its file extension.
import type { Quad } from "n3";
import type { App, AppContext } from "../http/app-context";
import { publicRoute } from "../http/document-route";
import { negotiateType } from "../http/read-request";
import { z } from "../kernel/common";
import { failure } from "../kernel/errors";
import { serialiseQuads } from "../ontology/quad-syntax";
import { findTerm, readOntologyQuads, readTermQuads } from "./find-term";
import { PAGE_STYLE, renderOverview, renderTermPage } from "./render-page";

/** The syntaxes by file extension. HTML is the default: these pages are for people. */
const SYNTAXES = { html: "text/html", ttl: "text/turtle", jsonld: "application/ld+json" } as const;
type PageSyntax = keyof typeof SYNTAXES;

const HEADERS = {
  // The style sheet is the only thing that a page loads.
  "Content-Security-Policy":
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "public, max-age=300",
  Vary: "Accept",
};

const TURTLE_EXAMPLE = "<https://jido.ai/ontology#Decision> a <http://www.w3.org/2002/07/owl#Class> .\n";
const JSON_LD_EXAMPLE =
  '[{"@id":"https://jido.ai/ontology#Decision","@type":["http://www.w3.org/2002/07/owl#Class"]}]';
const COMMON = {
  type: SYNTAXES.html,
  schema: z.string(),
  example: "<!doctype html>…",
  otherTypes: { [SYNTAXES.ttl]: TURTLE_EXAMPLE, [SYNTAXES.jsonld]: JSON_LD_EXAMPLE },
};

export function ontologyPageRoutes(app: App): void {
  const respondWithAll = (c: AppContext, syntax: PageSyntax) =>
    respond(c, syntax, renderOverview, () => readOntologyQuads());
  publicRoute(
    app,
    {
      ...COMMON,
      path: "/ontology",
      operationId: "getOntologyPage",
      summary: "The ontology as a page, as Turtle or as JSON-LD",
    },
    (c) => respondWithAll(c, negotiateSyntax(c)),
  );
  app.get("/ontology.ttl", (c) => respondWithAll(c, "ttl"));
  app.get("/ontology.jsonld", (c) => respondWithAll(c, "jsonld"));

  app.get("/ontology/page.css", (c) =>
    c.body(PAGE_STYLE, 200, {
      "Content-Type": "text/css; charset=utf-8",
      "Cache-Control": HEADERS["Cache-Control"],
    }),
  );

  publicRoute(
    app,
    {
      ...COMMON,
      path: "/ontology/:term",
      operationId: "getOntologyTermPage",
      summary: "A term of the ontology as a page, as Turtle or as JSON-LD",
      params: z.object({
        term: z.string().openapi({
          description: "The local name of a class, property or individual",
          param: { example: "Decision" },
        }),
      }),
    },
    (c) => {
      const [, name = "", extension] =
        /^(\w+)(?:\.(html|ttl|jsonld))?$/.exec(c.req.param("term") ?? "") ?? [];
      const found = findTerm(name);
      if (found === undefined) throw failure("not_found", "No such term. The terms are listed at /ontology.");
      const syntax = (extension as PageSyntax | undefined) ?? negotiateSyntax(c);
      return respond(
        c,
        syntax,
        () => renderTermPage(found),
        () => readTermQuads(name),
      );
    },
  );
}

function negotiateSyntax(c: AppContext): PageSyntax {
  const accepted = negotiateType(c.req.header("Accept"), Object.values(SYNTAXES));
  return (Object.entries(SYNTAXES).find(([, type]) => type === accepted)?.[0] ?? "html") as PageSyntax;
}

async function respond(
  c: AppContext,
  syntax: PageSyntax,
  render: () => ReturnType<typeof renderOverview>,
  read: () => readonly Quad[],
): Promise<Response> {
  const body = syntax === "html" ? String(await render()) : await serialiseQuads(read(), SYNTAXES[syntax]);
  return c.body(body, 200, { ...HEADERS, "Content-Type": `${SYNTAXES[syntax]}; charset=utf-8` });
}
