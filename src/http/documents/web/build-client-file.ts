import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'

/** Puts the files of src/client together as one, without types and exports: clients download it and run it. */

const FIRST = new URL('../../../client/main.ts', import.meta.url)

/** An import of names, at the start of a line. The client has no others. */
const IMPORT = /^import \{([^}]*)\} from '([^']+)'\n/gm

const isOwn = (from: string): boolean => from.startsWith('.')

const HEAD = `#!/usr/bin/env node
// Reserves machines of a test lab: run it with --help. It needs Node 20 or later, and nothing else.
`

/** The modules that one imports, themselves included, each after those that it imports. */
const readModules = (): readonly string[] => {
  const found = new Map<string, string>()
  const visit = ({ href }: URL): void => {
    if (found.has(href)) return
    found.set(href, '')
    const source = stripTypeScriptTypes(readFileSync(new URL(href), 'utf8'))
    for (const [, , from = ''] of source.matchAll(IMPORT)) if (isOwn(from)) visit(new URL(from, href))
    // Again, so that it comes after what it imports.
    found.delete(href)
    found.set(href, source)
  }
  visit(FIRST)
  return [...found.values()]
}

export const buildClientFile = (): string => {
  const modules = readModules()
  const names = new Map<string, Set<string>>()
  for (const [, list = '', from = ''] of modules.flatMap((source) => [...source.matchAll(IMPORT)])) {
    if (isOwn(from)) continue
    const known = names.get(from) ?? new Set()
    for (const name of list.split(',')) if (name.trim() !== '') known.add(name.trim())
    names.set(from, known)
  }
  const imports = [...names]
    .sort()
    .map(([from, known]) => `import { ${[...known].sort().join(', ')} } from '${from}'\n`)
  const bodies = modules.map((source) => source.replace(IMPORT, '').replace(/^export /gm, ''))
  const text = [HEAD, imports.join(''), ...bodies].join('\n')
  return text.replace(/[ \t]+$/gm, '').replace(/\n{3,}/g, '\n\n')
}
