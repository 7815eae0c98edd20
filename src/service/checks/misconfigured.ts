/** The configuration is wrong; names every problem at once. */
export class Misconfigured extends Error {
  override name = 'Misconfigured'
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(problems.join('; '))
    this.problems = problems
  }
}
