// The editor of a query, with completion. It lives in a shadow root, where its styles need no inline style element, which
// the content security policy of the page refuses.
import {
  autocompletion,
  type CompletionContext,
  closeBrackets,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { useEffect, useRef } from "preact/hooks";

type SparqlEditorProps = {
  initial: string;
  /** Terms of the ontology, such as `jido:Decision`, with what they mean. */
  terms: readonly { label: string; info: string }[];
  change: (query: string) => void;
  run: () => void;
};

const KEYWORDS =
  "SELECT DISTINCT WHERE FILTER OPTIONAL UNION BIND VALUES GROUP ORDER BY ASC DESC LIMIT OFFSET HAVING COUNT SUM AVG MIN MAX AS ASK CONSTRUCT DESCRIBE PREFIX NOT EXISTS MINUS REGEX STR LANG DATATYPE IF COALESCE CONTAINS".split(
    " ",
  );

const STYLE = EditorView.theme({
  "&": { fontSize: "13px", color: "var(--text)", backgroundColor: "var(--surface)", borderRadius: "8px" },
  "&.cm-focused": { outline: "2px solid var(--accent)" },
  ".cm-content": {
    fontFamily: "var(--mono)",
    padding: "10px 4px",
    minHeight: "10rem",
    caretColor: "var(--text)",
  },
  ".cm-tooltip": {
    color: "var(--text)",
    backgroundColor: "var(--surface)",
    border: "1px solid var(--line-strong)",
  },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { color: "var(--text)", background: "var(--accent-soft)" },
  ".cm-completionInfo": { maxWidth: "22rem", padding: "6px 10px", fontFamily: "var(--font)" },
});

export function SparqlEditor({ initial, terms, change, run }: SparqlEditorProps) {
  const element = useRef<HTMLDivElement>(null);
  // The editor is created once, and calls what the latest rendering gave it.
  const current = useRef({ terms, change, run });
  current.current = { terms, change, run };

  useEffect(() => {
    const host = element.current;
    if (host === null) return;
    const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: initial,
        extensions: [
          history(),
          closeBrackets(),
          autocompletion({ override: [(context) => complete(context, current.current.terms)] }),
          keymap.of([
            {
              key: "Mod-Enter",
              run: () => {
                current.current.run();
                return true;
              },
            },
            ...completionKeymap,
            ...defaultKeymap,
            ...historyKeymap,
          ]),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ "aria-label": "SPARQL query" }),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged) current.current.change(state.doc.toString());
          }),
          STYLE,
        ],
      }),
    });
    return () => editor.destroy();
  }, [initial]);

  return <div ref={element} class="editor" />;
}

/** Completes terms of the ontology, keywords, and the variables of the query. */
function complete(context: CompletionContext, terms: SparqlEditorProps["terms"]) {
  const word = context.matchBefore(/[?\w:]+/);
  if (word === null || (word.from === word.to && !context.explicit)) return null;
  const variables = new Set(context.state.doc.toString().match(/\?\w+/g));
  variables.delete(word.text);
  return {
    from: word.from,
    options: [
      ...terms.map(({ label, info }) => ({ label, info, type: "class" })),
      ...KEYWORDS.map((label) => ({ label, type: "keyword" })),
      ...[...variables].map((label) => ({ label, type: "variable" })),
    ],
    validFor: /^[?\w:]*$/,
  };
}
