/** Wraps a text at spaces into indented lines of a width. A longer word gets its own line. */
export const wrap = (text: string, width: number, indent: string): string => {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line !== '' && indent.length + longer.length > width) {
      lines.push(line)
      line = word
    } else line = longer
  }
  return [...lines, line].map((each) => `${indent}${each}\n`).join('')
}
