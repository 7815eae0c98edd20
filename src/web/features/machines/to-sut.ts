const TAG = 'tag.'
const NUMBERS = new Set(['port', 'rdp_width', 'rdp_height', 'turnaround', 'release_unused_after'])
const TRUTH: Readonly<Record<string, boolean>> = { true: true, false: false }

/** A number or a truth where it is one: otherwise the service says what it must be. */
const toValue = (name: string, text: string): string | number | boolean => {
  if (NUMBERS.has(name) && /^\d+$/.test(text.trim())) return Number(text)
  return name === 'is_active' ? (TRUTH[text.trim().toLowerCase()] ?? text) : text
}

export const toSut = (record: Readonly<Record<string, string>>): object => {
  const entries = Object.entries(record)
  const tags = entries.filter(([name]) => name.startsWith(TAG))
  const fields = entries.filter(([name]) => !name.startsWith(TAG))
  return {
    ...Object.fromEntries(fields.map(([name, text]) => [name, toValue(name, text)])),
    ...(tags.length > 0 && { tags: Object.fromEntries(tags.map(([name, text]) => [name.slice(TAG.length), text])) }),
  }
}
