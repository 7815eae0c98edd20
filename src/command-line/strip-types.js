import { readFileSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'

// Node strips no types below a folder node_modules, where an archive of Berth is installed. There this does it, for files
// of Berth alone. Plain JavaScript, as it is loaded first, and by every thread.

const ROOT = new URL('../../', import.meta.url).href
const DEPENDENCIES = `${ROOT}node_modules/`

// The first call warns that it is experimental, which is for us to know and not for who starts the service.
const { emitWarning } = process
process.emitWarning = () => undefined
stripTypeScriptTypes('')
process.emitWarning = emitWarning

registerHooks({
  load: (url, context, nextLoad) => {
    if (!url.endsWith('.ts') || !url.startsWith(ROOT) || url.startsWith(DEPENDENCIES)) return nextLoad(url, context)
    const source = stripTypeScriptTypes(readFileSync(fileURLToPath(url), 'utf8'))
    return { format: 'module', source, shortCircuit: true }
  },
})
