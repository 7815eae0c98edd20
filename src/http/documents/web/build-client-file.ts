import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'

/** Puts the files of src/client together as one, without types and exports: clients download it and run it. */

const FIRST = new URL('../../../client/main.ts', import.meta.url)

/** An import of names, at the start of a line. The client has no others. */
const IMPORT = /^import \{([^}]*)\} from '([^']+)'\n/gm

const HEAD = `#!/usr/bin/env node
// Reserves machines of a test lab: run it with --help. It needs Node 20 or later, and nothing else.
`

/** Adds a module after those that it imports, and the names that it imports of Node. */
const addModule = (file: URL, modules: Map<string, string>, names: Map<string, Set<string>>): void => {
  if (modules.has(file.href)) return
  modules.set(file.href, '')
  const source = stripTypeScriptTypes(readFileSync(file, 'utf8')).replace(IMPORT, (_, list: string, from: string) => {
    if (from.startsWith('.')) addModule(new URL(from, file), modules, names)
    else {
      const imported = list.split(',').map((name) => name.trim())
      names.set(from, new Set([...(names.get(from) ?? []), ...imported.filter((name) => name !== '')]))
    }
    return ''
  })
  modules.delete(file.href)
  modules.set(file.href, source.replace(/^export /gm, ''))
}

export const buildClientFile = (): string => {
  const modules = new Map<string, string>()
  const names = new Map<string, Set<string>>()
  addModule(FIRST, modules, names)
  const imports = [...names].sort().map(([from, own]) => `import { ${[...own].sort().join(', ')} } from '${from}'\n`)
  const text = [HEAD, imports.join(''), ...modules.values()].join('\n')
  return text.replace(/[ \t]+$/gm, '').replace(/\n{3,}/g, '\n\n')
}
