// Gives every request of the black-box tests its own connection. The server closes idle connections after five seconds;
// on a busy machine a test could send its next request into one that is being closed.
import { Agent, setGlobalDispatcher } from "undici";

setGlobalDispatcher(new Agent({ pipelining: 0 }));
