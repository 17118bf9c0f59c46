// Runs the conformance suite for each provider.
import { describeProvider } from "./suite";
import { d1Subject, ephemeralSubject, inlineSubject, vectorSubject } from "./support";

describeProvider("inline", inlineSubject, { shares: false });
describeProvider("ephemeral", ephemeralSubject, { shares: false });
describeProvider("d1", d1Subject, { shares: true });
describeProvider("vector, on the embedded index", () => vectorSubject("embedded"), { shares: true });
describeProvider("vector, on Vectorize", () => vectorSubject("vectorize"), { shares: true });
