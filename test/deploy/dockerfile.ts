import { read } from './files.ts'

export interface Instruction {
  readonly name: string
  readonly value: string
}

export const DOCKERFILE = read('src/deploy/Dockerfile')

/** The instructions of each stage, starting with its FROM. Instructions before the first FROM are skipped. */
export const stages: readonly (readonly Instruction[])[] = (() => {
  const found: Instruction[][] = []
  const lines = DOCKERFILE.replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', '')
    .split('\n')
  for (const line of lines) {
    const [, name = '', value = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? []
    if (name === 'FROM') found.push([])
    if (name !== '') found.at(-1)?.push({ name, value })
  }
  return found
})()

export const valuesOf = (stage: readonly Instruction[], name: string): readonly string[] =>
  stage.filter((each) => each.name === name).map(({ value }) => value)
