/** A package of which browsers get files. */
export interface WebPackage {
  readonly name: string
  /** Patterns of the files that are served, relative to the package. */
  readonly files: readonly string[]
  /** The file that each bare specifier means. */
  readonly entries: Readonly<Record<string, string>>
}

/** What the page is made of besides its own files. `guide/architecture.md` says what each is for. */
export const PACKAGES: readonly WebPackage[] = [
  {
    name: 'preact',
    files: ['dist/preact.mjs', 'hooks/dist/hooks.mjs'],
    entries: { preact: 'dist/preact.mjs', 'preact/hooks': 'hooks/dist/hooks.mjs' },
  },
  {
    name: '@novnc/novnc',
    files: ['core/**/*.js', 'vendor/pako/**/*.js'],
    entries: { '@novnc/novnc': 'core/rfb.js' },
  },
  { name: 'htm', files: ['dist/htm.mjs'], entries: { htm: 'dist/htm.mjs' } },
  {
    name: 'csv-parse',
    files: ['dist/esm/sync.js'],
    entries: { 'csv-parse/browser/esm/sync': 'dist/esm/sync.js' },
  },
]
