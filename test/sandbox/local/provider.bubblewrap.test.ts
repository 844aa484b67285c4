import { describeSandboxProvider } from "../../contracts/sandbox-provider.js";
import { localProviderUnderTest } from "./local-provider-under-test.js";

describeSandboxProvider("the local provider with bubblewrap", () => localProviderUnderTest("bubblewrap"));
