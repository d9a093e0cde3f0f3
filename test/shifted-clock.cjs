// Node loads this before hisab: its clock says what the test's clock says.
const shiftMs = Number(process.env.HISAB_TEST_SHIFT_MS)
const Machine = Date

globalThis.Date = class extends Machine {
  constructor(...parts) {
    if (parts.length === 0) super(Machine.now() + shiftMs)
    else super(...parts)
  }

  static now() {
    return Machine.now() + shiftMs
  }
}
