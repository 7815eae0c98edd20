/** CSV files, as the page reads them. */

import test from 'ava'
import {
  type CsvRow,
  problemsOf,
  problemsOfErrors,
  problemText,
  readCsv,
  recordsOf,
} from '../../../src/web/features/import/csv-rows.ts'

const read = async (text: string) => readCsv(new TextEncoder().encode(text))
const COLUMNS = { required: ['name', 'port'], optional: ['os'], prefix: 'tag.', most: 2 }
const rowsOf = async (text: string): Promise<readonly CsvRow[]> => (await read(text)) as readonly CsvRow[]
const texts = async (text: string) => problemsOf(await rowsOf(text), COLUMNS).map(problemText)

test('rows become records by the names of their columns, without what is empty', async (t) => {
  const rows = await rowsOf('\uFEFFname,port,os,tag.rack\r\n"a, ""b""",1,,2\r\n\r\nc,2,"two\r\nlines",\r\n')
  t.deepEqual(problemsOf(rows, COLUMNS), [])
  t.deepEqual(recordsOf(rows), [
    { name: 'a, "b"', port: '1', 'tag.rack': '2' },
    { name: 'c', port: '2', os: 'two\nlines' },
  ])
})

test('a spreadsheet may separate fields by semicolons or tabs, and leave emptied rows', async (t) => {
  for (const separator of [';', '\t']) {
    const rows = await rowsOf('name,port,os\r\na,1,\r\n,,\r\nb,2,x\r\n'.replaceAll(',', separator))
    t.deepEqual(problemsOf(rows, COLUMNS), [], separator)
    t.deepEqual(recordsOf(rows), [
      { name: 'a', port: '1' },
      { name: 'b', port: '2', os: 'x' },
    ])
    t.is(rows[2]?.line, 4)
  }
  t.deepEqual(recordsOf(await rowsOf('name,port,os\na,1,b;c\n')), [{ name: 'a', port: '1', os: 'b;c' }])
  t.deepEqual((await rowsOf('name;port;"tag.a,b"\na;1;x\n'))[0]?.fields, ['name', 'port', 'tag.a,b'])
})

test('problems of a file name their line', async (t) => {
  t.deepEqual(await texts('name,colour\na,red\n'), [
    'Line 1 must name the column port.',
    'Line 1, colour: is not an import column.',
  ])
  t.deepEqual(await texts('name,port\n'), ['The file has no rows below the column names.'])
  t.deepEqual(await texts('name,port\na,1\nb\n'), ['Line 3 has 1 fields; the first row names 2.'])
  t.deepEqual(await texts('name,port\na,1\nb,2\nc,3\n'), ['Line 4 is beyond the 2 rows of a file: split it.'])
  t.like(await read('name,port\na,"1\n'), { line: 2 })
  t.like(await readCsv(Uint8Array.of(0x6e, 0xff)), { detail: 'must be in UTF-8' })
})

test('what the service says of a row has the line of that row', async (t) => {
  const rows = await rowsOf('name,port\n"a\nb",1\nc,0\n')
  const errors = [
    { pointer: '#/suts/1/port', detail: 'must be a whole number from 1 to 65535' },
    { pointer: '#/suts/0/tags/rack', detail: 'is too long' },
    { pointer: '#/users/1/name', detail: 'is the same as in users/0' },
  ]
  t.deepEqual(problemsOfErrors(errors, rows).map(problemText), [
    'Line 4, port: must be a whole number from 1 to 65535.',
    'Line 2, tag.rack: is too long.',
    'Line 4, name: is the same as in line 2.',
  ])
})
