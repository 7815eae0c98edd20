import { ExpectedError } from '../../../files/expected-error.ts'

/** The configuration is wrong. Has a sentence for every problem. */
export class Misconfigured extends ExpectedError {
  override readonly exitCode = 2
}
