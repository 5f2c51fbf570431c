// What a folder of this machine and a folder at an SFTP server have in common.

import { testFolder, testSftpFolder } from "../../support/bank/bank-places.ts";
import { testPlace } from "../../support/bank/place-suite.ts";

describe("a folder", () => testPlace(testFolder));

describe("a folder at an SFTP server", () => testPlace(testSftpFolder));
