import { useState } from 'preact/hooks'
import { show } from '../../features/view/view.ts'
import { formatMoment } from '../../format/format.ts'
import { parsePast } from '../../format/parse.ts'
import { type AsOf, asOfTime } from '../../page/as-of.ts'
import { usePage } from '../../page/context.ts'
import { goTo } from '../../page/location.ts'
import { PastInput } from '../../parts/choose/day-input.tsx'
import { useCommand } from '../../parts/commands/command.tsx'
import { Dialog } from '../../parts/commands/dialog.tsx'
import { useFields } from '../../parts/commands/fields.tsx'
import { Field } from '../../parts/field.tsx'
import type { Api } from '../../service/api.ts'
import { currentTime } from '../../service/time.ts'

const ofEntry = async (api: Api, entry: number): Promise<AsOf | undefined> => {
  const { value } = await api.get(`/api/events?order=desc&limit=1&before=${entry + 1}`)
  const [event] = value.events
  return event === undefined || Number(event.sequence) !== entry
    ? undefined
    : { value: String(entry), time: Date.parse(event.time) }
}

const half = { className: 's3 f6' }

export const AsOfDialog = ({ now, onClose }: { readonly now: number; readonly onClose: () => void }) => {
  const { api, asOf } = usePage()
  const [wrong, setWrong] = useState<string | undefined>(undefined)
  const errors = new Map(wrong === undefined ? [] : [['entry', wrong]])
  const { values, change, text } = useFields(
    'as-of',
    { when: formatMoment(asOf.peek()?.time ?? now), entry: '' },
    errors,
  )
  const command = useCommand()
  const time = parsePast(values.when, currentTime())
  const typed = values.entry.replaceAll(/[\s,.]/g, '')
  const find = async (): Promise<{ readonly moment: AsOf | string }> => {
    if (typed === '') {
      const moment = time === undefined ? undefined : asOfTime(time)
      return { moment: moment ?? 'Enter a time in the past, such as 9:30, Mon 9:30 or 24 Nov 9:30:15.' }
    }
    if (!/^\d{1,15}$/.test(typed)) return { moment: 'Enter a whole number.' }
    return { moment: (await ofEntry(api, Number(typed))) ?? 'This entry does not exist.' }
  }
  const submit = () =>
    command.run(find, ({ moment }) => {
      setWrong(typeof moment === 'string' ? moment : undefined)
      if (typeof moment === 'string') return
      show({ time: undefined, open: undefined })
      asOf.value = moment
      goTo('schedule')
    })
  return (
    <Dialog title="See the lab as it was" command={command} action="Show the lab" onSubmit={submit} onClose={onClose}>
      <p class="second">Schedule and machines show what was recorded by then.</p>
      <Field id="as-of-when" label="Date and time" {...half}>
        <PastInput
          {...{ id: 'as-of-when', value: values.when, autofocus: true, disabled: typed !== '' }}
          onInput={(when) => change({ when })}
        />
      </Field>
      {text('entry', 'or after entry', { ...half, inputmode: 'numeric', placeholder: '48,231', maxlength: 20 })}
    </Dialog>
  )
}
