// Intl, part 3: how en-US writes currencies and units.
((kit) => {
  'use strict';
  const { Object, RangeError } = globalThis;
  const table = (entries) => Object.assign(Object.create(null), entries);
  // 'A:x B:y' as { A: 'x', B: 'y' }; an underscore stands for a space inside a value.
  const parse = (text) =>
    table(Object.fromEntries(text.trim().split(/\s+/).map((item) => item.split(':').map((part) => part.replaceAll('_', ' ')))));

  // ---- currencies

  const symbols = parse(`
    AUD:A$ BRL:R$ CAD:CA$ CNY:CN¥ EUR:€ GBP:£ HKD:HK$ ILS:₪ INR:₹ JPY:¥ KRW:₩ MXN:MX$ NZD:NZ$ PHP:₱ TWD:NT$ USD:$ VND:₫
    XAF:FCFA XCD:EC$ XCG:Cg. XPF:CFPF`);
  symbols.XOF = 'F\u202fCFA';
  const narrowSymbols = parse(`
    AFN:؋ AMD:֏ AOA:Kz ARS:$ AUD:$ AZN:₼ BAM:KM BBD:$ BDT:৳ BMD:$ BND:$ BOB:Bs BSD:$ BWP:P BZD:$ CAD:$ CLP:$ CNY:¥ COP:$
    CRC:₡ CUC:$ CUP:$ CZK:Kč DKK:kr DOP:$ EGP:E£ FJD:$ FKP:£ GEL:₾ GHS:GH₵ GIP:£ GNF:FG GTQ:Q GYD:$ HKD:$ HNL:L HRK:kn
    HUF:Ft IDR:Rp ISK:kr JMD:$ KGS:⃀ KHR:៛ KMF:CF KPW:₩ KYD:$ KZT:₸ LAK:₭ LBP:L£ LKR:Rs LRD:$ MGA:Ar MMK:K MNT:₮ MUR:Rs
    MXN:$ MYR:RM NAD:$ NGN:₦ NIO:C$ NOK:kr NPR:Rs NZD:$ PKR:Rs PLN:zł PYG:₲ RON:lei RUB:₽ RWF:RF SBD:$ SEK:kr SGD:$ SHP:£
    SRD:$ SSP:£ STN:Db SYP:£ THB:฿ TOP:T$ TRY:₺ TTD:$ TWD:$ UAH:₴ UYU:$ XCD:$ ZAR:R ZMW:ZK`);

  // Currencies whose amounts do not have two decimals.
  const decimals = table({});
  for (const code of `AFN ALL BIF CLP COP DJF GNF HUF IDR IQD IRR ISK JPY KMF KPW KRW LAK LBP MGA MMK PKR PYG RWF SLL SOS SYP UGX
    VND VUV XAF XOF XPF YER`.split(/\s+/)) decimals[code] = 0;
  for (const code of 'BHD JOD KWD LYD OMR TND'.split(' ')) decimals[code] = 3;

  // Names in the singular; the plural adds an "s" unless it is given after a slash.
  const names = parse(`
    AED:UAE_dirham ARS:Argentine_peso AUD:Australian_dollar BDT:Bangladeshi_taka BGN:Bulgarian_lev/Bulgarian_leva
    BHD:Bahraini_dinar BRL:Brazilian_real CAD:Canadian_dollar CHF:Swiss_franc CLP:Chilean_peso CNY:Chinese_yuan/Chinese_yuan
    COP:Colombian_peso CZK:Czech_koruna DKK:Danish_krone/Danish_kroner EGP:Egyptian_pound EUR:euro GBP:British_pound
    HKD:Hong_Kong_dollar HUF:Hungarian_forint IDR:Indonesian_rupiah ILS:Israeli_new_shekel INR:Indian_rupee
    ISK:Icelandic_króna/Icelandic_krónur JPY:Japanese_yen/Japanese_yen KES:Kenyan_shilling KRW:South_Korean_won/South_Korean_won
    KWD:Kuwaiti_dinar MAD:Moroccan_dirham MXN:Mexican_peso MYR:Malaysian_ringgit/Malaysian_ringgits NGN:Nigerian_naira
    NOK:Norwegian_krone/Norwegian_kroner NZD:New_Zealand_dollar PEN:Peruvian_sol/Peruvian_soles PHP:Philippine_peso
    PKR:Pakistani_rupee PLN:Polish_zloty RON:Romanian_leu/Romanian_lei RUB:Russian_ruble SAR:Saudi_riyal SEK:Swedish_krona/Swedish_kronor
    SGD:Singapore_dollar THB:Thai_baht/Thai_baht TRY:Turkish_lira/Turkish_Lira TWD:New_Taiwan_dollar UAH:Ukrainian_hryvnia
    USD:US_dollar UYU:Uruguayan_peso VND:Vietnamese_dong/Vietnamese_dong ZAR:South_African_rand/South_African_rand`);

  const currencyName = (code, isOne) => {
    const name = names[code];
    if (name === undefined) {
      throw new RangeError(`the name of the currency "${code}" is not available in this cell: use currencyDisplay "code", or one of ${Object.keys(names).join(', ')}`);
    }
    const [one, other = `${one}s`] = name.split('/');
    return isOne ? one : other;
  };

  const currencySymbol = (code, display) => {
    if (display === 'code') return code;
    return (display === 'narrowSymbol' ? narrowSymbols[code] : undefined) ?? symbols[code] ?? code;
  };

  // ---- units: the short form, then what differs from the rule. The rule: the narrow form is the short one without its
  // space, the long form is the unit's own name, plurals add an "s", and after a slash stands the short form.

  const units = table({
    acre: { short: 'ac' },
    bit: { short: 'bit' },
    byte: { short: 'byte', narrow: 'B' },
    celsius: { short: '°C', long: 'degree Celsius', longs: 'degrees Celsius', tight: true },
    centimeter: { short: 'cm' },
    day: { short: 'day', shorts: 'days', narrow: 'd', per: 'd' },
    degree: { short: 'deg', narrow: '°' },
    fahrenheit: { short: '°F', narrow: '°', long: 'degree Fahrenheit', longs: 'degrees Fahrenheit', tight: true },
    'fluid-ounce': { short: 'fl oz', long: 'fluid ounce' },
    foot: { short: 'ft', narrow: '′', longs: 'feet', perNarrow: 'ft' },
    gallon: { short: 'gal', per: 'gal US', perNarrow: 'gal' },
    gigabit: { short: 'Gb' },
    gigabyte: { short: 'GB' },
    gram: { short: 'g' },
    hectare: { short: 'ha' },
    hour: { short: 'hr', narrow: 'h', per: 'h' },
    inch: { short: 'in', narrow: '″', longs: 'inches', perNarrow: 'in' },
    kilobit: { short: 'kb' },
    kilobyte: { short: 'kB' },
    kilogram: { short: 'kg' },
    kilometer: { short: 'km' },
    liter: { short: 'L' },
    megabit: { short: 'Mb' },
    megabyte: { short: 'MB' },
    meter: { short: 'm' },
    microsecond: { short: 'μs' },
    mile: { short: 'mi' },
    'mile-scandinavian': { short: 'smi', longs: 'miles-scandinavian' },
    milliliter: { short: 'mL' },
    millimeter: { short: 'mm' },
    millisecond: { short: 'ms' },
    minute: { short: 'min', narrow: 'm', perNarrow: 'min' },
    month: { short: 'mth', shorts: 'mths', narrow: 'm', per: 'm' },
    nanosecond: { short: 'ns' },
    ounce: { short: 'oz' },
    percent: { short: '%', longs: 'percent', tight: true },
    petabyte: { short: 'PB' },
    pound: { short: 'lb', narrow: '#', perNarrow: 'lb' },
    second: { short: 'sec', narrow: 's', per: 's' },
    stone: { short: 'st' },
    terabit: { short: 'Tb' },
    terabyte: { short: 'TB' },
    week: { short: 'wk', shorts: 'wks', narrow: 'w', per: 'w' },
    yard: { short: 'yd' },
    year: { short: 'yr', shorts: 'yrs', narrow: 'y', per: 'y' },
  });
  const compounds = table({ 'mile-per-hour': 'mph', 'mile-per-gallon': 'mpg' });

  const isUnit = (unit) => {
    const [top, bottom, ...rest] = unit.split('-per-');
    return rest.length === 0 && top in units && (bottom === undefined || bottom in units);
  };

  const perName = (name, display) => {
    const unit = units[name];
    if (display === 'long') return unit.long ?? name;
    return display === 'narrow' ? (unit.perNarrow ?? unit.narrow ?? unit.short) : (unit.per ?? unit.short);
  };

  // The text after the number, and whether a space goes between.
  const unitText = (name, display, isOne) => {
    const [top, bottom] = name.split('-per-');
    const unit = units[top];
    const spaced = display === 'long' || (display === 'short' && unit.tight !== true);
    if (display !== 'long' && name in compounds) return [compounds[name], spaced];
    let text;
    if (display === 'long') {
      const one = unit.long ?? top;
      text = isOne ? one : (unit.longs ?? `${one}s`);
    } else if (display === 'narrow') {
      text = unit.narrow ?? unit.short;
    } else {
      text = isOne ? unit.short : (unit.shorts ?? unit.short);
    }
    if (bottom !== undefined) text += (display === 'long' ? ' per ' : '/') + perName(bottom, display);
    return [text, spaced];
  };

  return {
    intlNumberData: {
      currencies: Object.keys({ ...symbols, ...narrowSymbols, ...names, ...decimals }).sort(),
      currencyDecimals: (code) => decimals[code] ?? 2,
      currencyName,
      currencySymbol,
      isUnit,
      units: Object.keys(units),
      unitText,
    },
  };
})
