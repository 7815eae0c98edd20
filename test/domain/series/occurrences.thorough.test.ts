import test from 'ava'
import { compareEverywhere } from './compare.ts'
import { RULES } from './rules.ts'

for (const freq of ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY']) {
  test(`${freq} rules occur in 20 zones when another library says, up to 2030`, (t) => {
    const rules = RULES.filter((rule) => rule.startsWith(`FREQ=${freq}`))
    const compared = rules.flatMap((rule) =>
      (rule.includes('BYSETPOS') ? ['10:30:00'] : ['02:30:00', '00:15:00']).map((time) =>
        compareEverywhere(rule, `2026-01-03T${time}`),
      ),
    )
    t.true(compared.every((count) => count > 0))
  })
}
