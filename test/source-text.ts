/** An import as written in a file, `export ... from` and `import()` included. */
export interface Import {
  readonly specifier: string
  /** Whether stripping the types removes it entirely. */
  readonly typeOnly: boolean
}

/** A file with its comments and the contents of its literals blanked: only code is left, on the same lines. */
export interface SourceText {
  readonly code: string
  readonly imports: readonly Import[]
  /** Syntax that the scanner does not understand. Nothing else checks such a file. */
  readonly unread: readonly string[]
}

/** After one of these a slash begins a regular expression. After anything else it divides. */
const BEFORE_A_PATTERN =
  /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|of|in|do|else|void|delete|await|yield))\s*$/

const LITERALS: readonly RegExp[] = [/'(?:[^'\\\n]|\\[\s\S])*'/y, /"(?:[^"\\\n]|\\[\s\S])*"/y]
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y
const PATTERN = /\/(?![*/])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/y
const TEMPLATE_TEXT = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/y

const matchAt = (pattern: RegExp, text: string, place: number): string | undefined => {
  pattern.lastIndex = place
  return pattern.exec(text)?.[0]
}

/** The same line breaks, and nothing else. */
const blank = (text: string): string => text.replace(/[^\n]/g, ' ')

const masked = (source: string): { code: string; strings: readonly string[]; open: string } => {
  const strings: string[] = []
  /** The open constructs: a template's text, or the braces of an expression in one. */
  const open: ('`' | '{' | '${')[] = []
  let code = ''
  for (let place = 0; place < source.length; ) {
    if (open.at(-1) === '`') {
      const text = matchAt(TEMPLATE_TEXT, source, place) ?? ''
      place += text.length
      code += blank(text)
      if (source.startsWith('${', place)) {
        open.push('${')
        code += ' ('
        place += 2
      } else {
        open.pop()
        code += '`'
        place += 1
      }
      continue
    }
    const character = source[place] as string
    const comment = matchAt(COMMENT, source, place)
    const literal = LITERALS.map((kind) => matchAt(kind, source, place)).find((found) => found !== undefined)
    const pattern =
      character === '/' && BEFORE_A_PATTERN.test(code.slice(-20)) ? matchAt(PATTERN, source, place) : undefined
    if (comment !== undefined) code += blank(comment)
    else if (literal !== undefined) code += `"${strings.push(literal.slice(1, -1)) - 1}"`
    else if (pattern !== undefined) code += '/./'
    else {
      if (character === '`' || character === '{') open.push(character)
      const closes = character === '}' ? open.pop() : undefined
      code += closes === '${' ? ')' : character
    }
    place += (comment ?? literal ?? pattern ?? character).length
  }
  return { code, strings, open: open.join('') }
}

const FROM = /\b(?:import|export)\s+([\w$*{}\s,]+?)\s*\bfrom\s*"(\d+)"/g
const BARE = /\bimport\s*"(\d+)"/g
const CALLED = /\bimport\s*\(\s*(?:"(\d+)"\s*[,)])?/g

const isTypeOnly = (clause: string): boolean => {
  if (/^type\s+(?!from\b|,)/.test(clause)) return true
  const names = /^\{([^}]*)\}$/
    .exec(clause)?.[1]
    ?.split(',')
    .filter((name) => name.trim() !== '')
  return names !== undefined && names.length > 0 && names.every((name) => /^\s*type\s+(?!as\b\s*$)/.test(name))
}

/** Scans a TypeScript file as far as the rules about imports and words need. */
export const readSource = (source: string): SourceText => {
  const { code, strings, open } = masked(source)
  const named = (index: string | undefined): string => strings[Number(index)] ?? ''
  const imports: Import[] = [
    ...[...code.matchAll(FROM)].map(([, clause = '', index]) => {
      return { specifier: named(index), typeOnly: isTypeOnly(clause) }
    }),
    ...[...code.matchAll(BARE)].map(([, index]) => ({ specifier: named(index), typeOnly: false })),
  ]
  const unread = open === '' ? [] : [`ends within ${open}`]
  for (const [, index] of code.matchAll(CALLED)) {
    if (index === undefined) unread.push('has an import() of something computed')
    else imports.push({ specifier: named(index), typeOnly: false })
  }
  if (/\brequire\s*\(/.test(code)) unread.push('has a require()')
  return { code, imports, unread }
}
