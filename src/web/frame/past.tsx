import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { pastPage } from '../features/past/past-page.ts'
import { asOfText } from '../page/as-of.ts'
import { PageProvider, usePage } from '../page/context.ts'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'

export const PastBanner = () => {
  const { asOf } = usePage()
  const moment = asOf.value
  if (moment === undefined) return undefined
  return (
    <div class="row banner info" role="status">
      <Icon name="clock" />
      <span>
        You see the lab as of <b class="medium">{asOfText(moment)}</b>. Nothing can be changed here.
      </span>
      <span class="grow" />
      <Button
        label="Back to now"
        look="small"
        onClick={() => {
          asOf.value = undefined
        }}
      />
    </div>
  )
}

export const AsOfMoment = ({ children }: { readonly children: ComponentChildren }) => {
  const page = usePage()
  const moment = page.asOf.value
  const shown = useMemo(() => (moment === undefined ? page : pastPage(page, moment)), [moment])
  return (
    <PageProvider key={moment?.value ?? 'now'} value={shown}>
      {children}
    </PageProvider>
  )
}
