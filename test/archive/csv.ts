/** Parses an RFC 4180 file character by character. Throws if it is malformed. */
export const csvRows = (text: string): readonly (readonly string[])[] => {
  const rows: string[][] = []
  let [row, at]: [string[], number] = [[], 0]
  const fieldAt = (): string => {
    if (text[at] !== '"') {
      const [plain = ''] = /^[^",\r\n]*/.exec(text.slice(at)) ?? []
      at += plain.length
      return plain
    }
    let field = ''
    for (at++; ; at++) {
      if (at >= text.length) throw new Error('a quote is not closed')
      if (text[at] !== '"') field += text[at]
      else if (text[at + 1] === '"') field += text[++at]
      else break
    }
    at++
    return field
  }
  while (at < text.length) {
    row.push(fieldAt())
    if (text[at] === ',') at++
    else if (text.startsWith('\r\n', at)) {
      at += 2
      rows.push(row)
      row = []
    } else throw new Error(`neither a comma nor the end of a line: ${JSON.stringify(text.slice(at, at + 20))}`)
  }
  if (row.length > 0) throw new Error('the last line is not ended')
  return rows
}
