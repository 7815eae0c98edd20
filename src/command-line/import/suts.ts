import { createHash } from 'node:crypto'
import { listOf, opaqueId } from '../../domain/codec/codec.ts'
import { whole } from '../../domain/events/fields.ts'
import { sutFields } from '../../domain/events/sut.ts'
import { canonicalJson } from '../../domain/values/canonical-json.ts'
import { SUT_ROWS_MAX } from '../../http/routes/suts/suts.ts'
import { answer, line, makeCall } from '../service/call.ts'
import type { Command } from '../terminal/command.ts'
import { type CsvRow, explainRows, readCsv } from './csv.ts'

const Imported = answer({ count: whole }, { suts: listOf(answer({ _id: opaqueId, name: line }, {})) })

const TAG = 'tag.'
/** Columns whose values are no texts. */
const VALUES = ['port', 'is_active', 'rdp_width', 'rdp_height', 'turnaround', 'release_unused_after']
const COLUMNS: readonly string[] = [...Object.keys(sutFields), 'user_name', 'password']

/** A value as JSON has it. What is neither a number nor true or false stays a text, which the service names as wrong. */
const toValue = (text: string): unknown =>
  /^\d{1,15}$/.test(text) ? Number(text) : text === 'true' ? true : text === 'false' ? false : text

/** A SUT as the service takes it. */
const toSut = ({ fields }: CsvRow): object => {
  const all = Object.entries(fields)
  const tags = all.filter(([column]) => column.startsWith(TAG))
  const others = all.filter(([column]) => !column.startsWith(TAG))
  return {
    ...Object.fromEntries(others.map(([column, text]) => [column, VALUES.includes(column) ? toValue(text) : text])),
    ...(tags.length > 0 && {
      tags: Object.fromEntries(tags.map(([column, text]) => [column.slice(TAG.length), text])),
    }),
  }
}

export const sutImportCommand: Command = {
  name: 'sut import',
  operands: ['FILE'],
  options: { 'dry-run': { type: 'boolean' } },
  summary: 'adds the machines of a CSV file',
  example: 'sut import lab.csv',
  help: `
Adds all SUTs of a CSV file in UTF-8, at most ${SUT_ROWS_MAX}, or none of them if there is a problem, which is printed with its
line. The first row names the columns: name, address, port and sut_type, and optionally the other fields of a SUT and
tag.<name> for each tag. Empty fields are left out. Prints id and name of each, separated by a tab.

The same file imported again within a day adds nothing and prints the same SUTs, so that an import that was cut off is
simply repeated. With --dry-run everything is checked and nothing is added.

It asks the service on BERTH_DATA, or the one at BERTH_URL, as an administrator.`,
  run: async ({ operands: [file = ''], options }, config, terminal) => {
    const rows = await readCsv(file, { columns: COLUMNS, family: TAG, rowsMax: SUT_ROWS_MAX })
    const suts = rows.map(toSut)
    const isDry = options['dry-run'] === true
    // The same file with the same key is the same import: a repetition continues what a crash interrupted.
    const idempotencyKey = createHash('sha256').update(canonicalJson({ suts })).digest('base64url')
    const imported = await makeCall(
      config,
      terminal,
    )({
      ...{
        method: 'POST',
        path: '/api/sut/import',
        answer: Imported,
        body: { suts, ...(isDry && { dry_run: true }) },
      },
      ...(!isDry && { idempotencyKey }),
    }).catch(explainRows(rows, (member) => member.replace(/^tags\//, TAG)))
    const { count, suts: added = [] } = imported
    for (const { _id, name } of added) terminal.stdout(`${_id}\t${name}\n`)
    const what = count === 1 ? '1 SUT' : `${count} SUTs`
    terminal.stderr(`berth: ${what} ${isDry ? 'would be added; nothing was changed' : 'added'}\n`)
  },
}
