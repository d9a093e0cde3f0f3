import type {FindingView, ReconcileReport} from '../../src/report/reconcile-report.ts'

/** A report as it is read back from its JSON: the findings are a list. */
export type ReportDocument = Omit<ReconcileReport, 'findings'> & {readonly findings: readonly FindingView[]}
