import { describeSandboxProvider } from "../../contracts/sandbox-provider.js";
import { dockerProviderUnderTest } from "./docker-under-test.js";

describeSandboxProvider("the docker provider", () => Promise.resolve(dockerProviderUnderTest()));
