/** Commands of a block, and the answer that the document shows for them. */
export interface Step {
  readonly commands: string
  readonly answer: string
}

/** Splits a block: lines that begin with `#` are the answer to the commands before them. */
export const readSteps = (code: string): readonly Step[] => {
  const steps: { commands: string[]; answer: string[] }[] = []
  let isAnswer = true
  for (const line of code.split('\n')) {
    const wasAnswer = isAnswer
    isAnswer = line === '#' || line.startsWith('# ')
    if (wasAnswer && !isAnswer) steps.push({ commands: [], answer: [] })
    const step = steps.at(-1)
    if (isAnswer) step?.answer.push(line.slice(2))
    else step?.commands.push(line)
  }
  return steps.map(({ commands, answer }) => ({ commands: commands.join('\n'), answer: answer.join('\n') }))
}

/** Patterns of values that differ between runs, longest first. */
const MASKS: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(?:Z|\+00:00)/g, '<time>'],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>'],
  [/(?<![0-9a-f])[0-9a-f]{24}(?![0-9a-f])/g, '<id>'],
  [/\d{4}-\d\d-\d\d-[0-9a-f]{4}/g, '<key>'],
  [/\d{4}-\d\d-\d\d/g, '<date>'],
  [/[A-Za-z0-9+/]{43}=/g, '<hash>'],
  [/retry: \d+/g, 'retry: <ms>'],
]

/** Drops the line breaks that documents add, and replaces values that differ between runs with placeholders. */
const masked = (text: string): string =>
  MASKS.reduce((masked, [pattern, word]) => masked.replaceAll(pattern, word), text).replaceAll(/\s+/g, '')

/** Whether an answer matches the one shown, in which `…` stands for any text. */
export const isAsShown = (answer: string, shown: string): boolean => {
  const pattern = masked(shown)
    .split('…')
    .map((part) => RegExp.escape(part))
    .join('.*')
  return new RegExp(`^${pattern}$`, 's').test(masked(answer))
}
