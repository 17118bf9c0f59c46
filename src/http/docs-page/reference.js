// Starts the reference over the document of the service that this page came from. A key that is entered here, or in the
// console, is kept for the tab: the two share it, and it ends with the tab.

const STORED_KEY = "kioku.key";
/** The name of the security scheme in the document. */
const SCHEME = "bearer";

const dark = matchMedia("(prefers-color-scheme: dark)");
const followScheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followScheme);
followScheme();

/** Keeps the key when it is entered, and forgets it when it is removed. */
const rememberKey = () => ({
  statePlugins: {
    auth: {
      wrapActions: {
        authorize: (authorize) => (entered) => {
          const key = entered[SCHEME]?.value;
          if (typeof key === "string" && key !== "") sessionStorage.setItem(STORED_KEY, key);
          return authorize(entered);
        },
        logout: (logout) => (schemes) => {
          sessionStorage.removeItem(STORED_KEY);
          return logout(schemes);
        },
      },
    },
  },
});

const ui = window.SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  persistAuthorization: false,
  docExpansion: "none",
  defaultModelsExpandDepth: 0,
  defaultModelExpandDepth: 3,
  displayRequestDuration: true,
  filter: true,
  // It would send the document's address to another host.
  validatorUrl: null,
  plugins: [rememberKey],
  onComplete() {
    const key = sessionStorage.getItem(STORED_KEY);
    if (key !== null) ui.preauthorizeApiKey(SCHEME, key);
    // A link to an operation opens its own section.
    if (location.hash === "") openFirstSection(ui.getSystem());
  },
});

function openFirstSection({ specSelectors, layoutActions }) {
  const tag = specSelectors.taggedOperations().keySeq().first();
  if (tag !== undefined) layoutActions.show(["operations-tag", tag], true);
}
