/** Bundles what browsers get of src/web, and what computers without Berth get of src/client. */

import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { BuildOptions, Metafile } from 'esbuild'
import { ICONS } from '../guide/shell.ts'
import type { Page } from '../site.ts'

// It runs to its end then. Otherwise it would stay for more, and a thread that has ended leaves it as a zombie.
process.env.ESBUILD_WORKER_THREADS = '0'
const { buildSync }: typeof import('esbuild') = createRequire(import.meta.url)('esbuild')

const WEB = new URL('../../../web/', import.meta.url)
const CLIENT = new URL('../../../client/main.ts', import.meta.url)

/** What pages begin with. They ask for it by the name of its file. */
const ENTRIES = [
  ...['load.ts', 'main.tsx', 'documents/docs.ts', 'documents/guide.tsx'],
  ...['page.css', 'documents/docs.css', 'documents/documents.css'],
]

const CLIENT_HEAD = `#!/usr/bin/env node
// Reserves machines of a test lab: run it with --help. It needs Node 20 or later, and nothing else.`

const bundle = (options: BuildOptions) => {
  const { outputFiles = [], metafile } = buildSync({
    ...{ bundle: true, format: 'esm', write: false, metafile: true, logLevel: 'silent' },
    ...{ absWorkingDir: fileURLToPath(WEB), outdir: '.' },
    ...options,
  })
  return { files: outputFiles.map(({ path, text }) => [path.replace(/^.*[\\/]/, ''), text] as const), metafile }
}

/** The names of the files that a module imports at once, itself included. */
const reachable = (module: string, outputs: Metafile['outputs'] = {}): ReadonlySet<string> => {
  const names = new Set(Object.keys(outputs).filter((name) => outputs[name]?.entryPoint === module))
  for (const name of names)
    for (const { path, kind } of outputs[name]?.imports ?? []) if (kind === 'import-statement') names.add(path)
  return names
}

/**
 * Bundles the page with everything that it imports. What is loaded later is in files of its own. With `isDebug`, they
 * have their source with them.
 */
export const buildPage = (isDebug = false): Page => {
  const template = readFileSync(new URL('index.html', WEB), 'utf8').replace('<!-- icons -->', ICONS)
  const { files, metafile } = bundle({
    ...{ entryPoints: ENTRIES, target: ['chrome123', 'firefox125', 'safari17.5'], splitting: true, minify: true },
    ...{ entryNames: '[name]', chunkNames: '[name]-[hash]', sourcemap: isDebug && 'inline' },
  })
  const client = bundle({
    ...{ entryPoints: [fileURLToPath(CLIENT)], platform: 'node', target: 'node20', banner: { js: CLIENT_HEAD } },
  })
  const digest = hash('sha256', JSON.stringify([template, files]), 'base64url').slice(0, 22)
  const prefix = `/web/${digest}/`
  const preloads = [...reachable('main.tsx', metafile?.outputs)].map(
    (name) => `<link rel="modulepreload" href="${prefix}${name}">`,
  )
  const page = template.replaceAll('/web/', prefix).replace('<!-- preloads -->', preloads.join('\n'))
  const documents = new Map([
    ['/', page],
    // With the offer of single sign-on.
    ['/login/callback', page.replace('<html lang="en"', '<html lang="en" data-single-sign-on')],
    ...files.map(([name, text]) => [prefix + name, text] as const),
  ])
  return { digest, documents, client: client.files[0]?.[1] ?? '' }
}
