import { describeLocalManager } from "./local-manager.js";

describeLocalManager("process");
