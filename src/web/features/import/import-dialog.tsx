import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { readAll } from '../../data/lists.ts'
import { formatNumber } from '../../format/format.ts'
import { usePage } from '../../page/context.ts'
import { Button } from '../../parts/button.tsx'
import { useCommand } from '../../parts/commands/command.tsx'
import { Dialog } from '../../parts/commands/dialog.tsx'
import { Field, Input } from '../../parts/field.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { Note, Status } from '../../parts/show/note.tsx'
import type { Api, Outcome } from '../../service/api.ts'
import type { Columns, Problem } from './csv-rows.ts'
import { problemsOf, problemsOfErrors, problemText, readCsv, recordsOf } from './csv-rows.ts'

export interface Kind {
  readonly title: string
  /** `/api/sut/import`. */
  readonly path: string
  /** The member of the body that has the rows, and of the answer. */
  readonly member: string
  readonly columns: Columns
  /** `24 machines`. */
  readonly count: (many: number) => string
  readonly toRow: (record: Readonly<Record<string, string>>) => object
  readonly example: string
}

interface Props {
  readonly kind: Kind
  readonly children?: ComponentChildren
  /** Called with the answer of the service; the dialog waits for it. */
  readonly onAdded?: (answer: Readonly<Record<string, unknown>>) => Promise<void>
  /** What is asked before it closes, while it shows what is lost then. */
  readonly question?: string | undefined
  readonly onClose: () => void
}

type Step =
  | { readonly at: 'choose' }
  | { readonly at: 'wrong'; readonly problems: readonly Problem[] }
  | {
      readonly at: 'ready'
      readonly rows: readonly object[]
      /** Of these, how many have a name that is taken. */
      readonly known: number
    }
  | { readonly at: 'done'; readonly count: number }

const SHOWN = 20

const Problems = ({ problems }: { readonly problems: readonly Problem[] }) => (
  <Note kind="danger">
    <p>Nothing was added. Correct the file and choose it again.</p>
    <ul class="items">
      {problems.slice(0, SHOWN).map((problem, n) => (
        <li key={n}>{problemText(problem)}</li>
      ))}
    </ul>
    {problems.length > SHOWN && <p>And {formatNumber(problems.length - SHOWN)} more.</p>}
  </Note>
)

const checkFile = async (
  api: Api,
  { path, member, columns, toRow }: Kind,
  file: File,
): Promise<Outcome<{ step: Step }>> => {
  const wrong = (problems: readonly Problem[]) => ({ step: { at: 'wrong', problems } as const })
  const rows = await readCsv(new Uint8Array(await file.arrayBuffer()))
  if (!Array.isArray(rows)) return wrong([rows as Problem])
  const problems = problemsOf(rows, columns)
  if (problems.length > 0) return wrong(problems)
  const read = recordsOf(rows)
  const all = read.map(toRow)
  const { refused } = await api.post(path, { body: { [member]: all, dry_run: true } })
  if (refused !== undefined) {
    const { errors = [] } = refused.problem
    return errors.length > 0 ? wrong(problemsOfErrors(errors, rows)) : { refused }
  }
  const names = new Set(
    (await readAll<{ _id: string; name: string }>(api, path.replace('/import', ''), member)).map(({ name }) => name),
  )
  return { step: { at: 'ready', rows: all, known: read.filter(({ name = '' }) => names.has(name)).length } }
}

interface ChooseProps {
  readonly kind: Kind
  readonly isBusy: boolean
  readonly onFile: (file: File) => void
}

const Choose = ({ kind, isBusy, onFile }: ChooseProps) => {
  const { required, optional, prefix, most } = kind.columns
  const further = prefix === undefined ? '' : `, and ${prefix}name for each`
  const download = (): void => saveFile(new Blob([kind.example], { type: 'text/csv' }), 'example.csv')
  const take = (files: FileList | null | undefined): void => {
    const [file] = files ?? []
    if (file !== undefined) onFile(file)
  }
  const onDrop = (event: DragEvent): void => {
    event.preventDefault()
    take(event.dataTransfer?.files)
  }
  return (
    <div class="field" onDragOver={(event: Event) => event.preventDefault()} onDrop={onDrop}>
      <Field
        id="import-file"
        label="CSV file"
        hint={`The first row names the columns: ${required.join(', ')}; optional: ${optional.join(', ')}${further}. At most ${most} rows.`}
      >
        <Input
          {...{ id: 'import-file', class: 'file', type: 'file', accept: '.csv,text/csv', autofocus: true }}
          disabled={isBusy}
          // A file that was corrected under its name is chosen anew.
          onClick={({ currentTarget }) => {
            currentTarget.value = ''
          }}
          onChange={({ currentTarget }) => take(currentTarget.files)}
        />
      </Field>
      <span>
        <Button icon="download" label="Download an example" look="quiet small" class="under" onClick={download} />
      </span>
    </div>
  )
}

/** Adds what a CSV file has: all of it, or nothing. It is checked before, and each problem named with its line. */
export const ImportDialog = ({ kind, question, children, onAdded, onClose }: Props) => {
  const { api } = usePage()
  const command = useCommand()
  const [file, setFile] = useState<File | undefined>(undefined)
  const [step, setStep] = useState<Step>({ at: 'choose' })
  const check = (chosen: File): void => {
    setFile(chosen)
    setStep({ at: 'choose' })
    void command.run(
      () => checkFile(api, kind, chosen),
      (outcome) => setStep(outcome.step),
    )
  }
  const add = (rows: readonly object[]) =>
    command.send(kind.path, { body: { [kind.member]: rows } }, async ({ value }) => {
      await onAdded?.(value as Readonly<Record<string, unknown>>)
      setStep({ at: 'done', count: rows.length })
    })
  const submit = (): unknown => (step.at === 'ready' ? add(step.rows) : file && check(file))
  const isAgain = command.refused !== undefined
  return (
    <Dialog
      title={kind.title}
      command={{ ...command, unplaced: command.refused }}
      action={isAgain ? 'Try again' : step.at === 'ready' ? `Add ${kind.count(step.rows.length)}` : 'Add'}
      isReady={isAgain || step.at === 'ready'}
      onSubmit={submit}
      onClose={onClose}
      isDone={step.at === 'done'}
      question={question}
    >
      {step.at !== 'done' && <Choose kind={kind} isBusy={command.isBusy} onFile={check} />}
      {command.isBusy && <Status class="muted">Checking…</Status>}
      {step.at === 'wrong' && <Problems problems={step.problems} />}
      {step.at === 'ready' && !isAgain && (
        <Note kind="ok">{kind.count(step.rows.length)} can be added. Nothing was added yet.</Note>
      )}
      {step.at === 'ready' && step.known > 0 && (
        <Note kind="warn">
          {step.known === 1 ? 'One name is' : `${formatNumber(step.known)} names are`} already in use, and would exist
          twice.
        </Note>
      )}
      {step.at === 'done' && <Note kind="ok">{kind.count(step.count)} added.</Note>}
      {children}
    </Dialog>
  )
}
