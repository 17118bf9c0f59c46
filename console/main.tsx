// The entry of the console: signs in, if there is a key, and mounts the app.
import { render } from "preact";
import { App } from "./app";
import { resumeSignIn } from "./state/sign-in";
import { applyTheme } from "./state/theme";
import "uplot/dist/uPlot.min.css";
import "./style/tokens.css";
import "./style/base.css";
import "./style/layout.css";
import "./style/components.css";
import "./style/views.css";
import "./style/touch.css";

applyTheme();
void resumeSignIn();
const root = document.getElementById("console");
if (root === null) throw new Error("The page has no element for the console");
root.replaceChildren();
render(<App />, root);
