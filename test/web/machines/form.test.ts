/** The form of a machine: what is sent of it. */

import test from 'ava'
import {
  changesOf,
  createOf,
  EMPTY,
  missingText,
  parseTag,
  valuesOf,
  withType,
} from '../../../src/web/features/machines/machine-values.ts'
import { known } from './machines.ts'

const before = valuesOf(known())

test('a form in which nothing was changed sends nothing', (t) => {
  t.deepEqual(changesOf(before, known()), [])
})

test('only what differs is sent: fields, then tags as a patch, then monitoring', (t) => {
  const values = {
    ...before,
    version: '26.04',
    port: ' 5901',
    tags: { os: 'linux' },
    interval: 300,
    password: '',
    turnaround: 0,
  }
  t.deepEqual(changesOf(values, known()), [
    { verb: 'update', body: { version: '26.04', port: 5_901, password: '', turnaround: 0 } },
    { verb: 'tags', body: { os: 'linux', rack: null } },
    { verb: 'monitoring', body: { enabled: true, interval: 300 } },
  ])
  t.deepEqual(changesOf({ ...before, isMonitored: false }, known()), [{ verb: 'monitoring', body: { enabled: false } }])
})

test('a form says what is missing before it can be sent', (t) => {
  t.is(missingText({ ...EMPTY, port: '' }), 'Name, address and port are missing.')
  t.is(missingText(EMPTY), 'Name and address are missing.')
  t.is(missingText({ ...before, name: ' ' }), 'Name is missing.')
  t.is(missingText(before), undefined)
})

test('what is no number is sent as typed, so that the service says what it must be', (t) => {
  t.deepEqual(changesOf({ ...before, port: 'vnc' }, known())[0]?.body, { port: 'vnc' })
})

test('a new machine is sent without what was left empty', (t) => {
  t.deepEqual(createOf({ ...EMPTY, name: 'bench 2', address: 'bench-2', tags: { rack: '2' } }), {
    ...{ name: 'bench 2', sut_type: 'vnc', address: 'bench-2', port: 5_900, tags: { rack: '2' } },
  })
  t.like(createOf({ ...EMPTY, is_active: false, turnaround: 900, release_unused_after: 300 }), {
    ...{ name: '', port: 5_900, is_active: false, turnaround: 900, release_unused_after: 300 },
  })
})

test('another type brings its usual port, unless another one was typed', (t) => {
  t.is(withType(EMPTY, 'rdp').port, '3389')
  t.is(withType(withType(EMPTY, 'rdp'), 'tcp').port, '')
  t.is(withType({ ...EMPTY, port: '5999' }, 'rdp').port, '5999')
})

test('a tag is a name and a value', (t) => {
  t.deepEqual(parseTag(' rack = 2 '), ['rack', '2'])
  t.deepEqual(parseTag('note=a=b'), ['note', 'a=b'])
  for (const wrong of ['rack', '=2', '-a=1', `a=${'x'.repeat(257)}`]) t.is(parseTag(wrong), undefined, wrong)
})
