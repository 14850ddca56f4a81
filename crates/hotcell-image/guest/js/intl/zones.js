// Intl, part 5: time zones, their offsets and what en-US calls them.
//
//   kit.native.tz(zone, epochMs) -> [minutes east of UTC, abbreviation, the zone's name as the database spells it], or
//                                   undefined if there is no such zone
//
// The table has the names in use today. Where a zone went by other rules at some moment, which its abbreviation then
// tells, the offset is shown instead ("GMT-02:00"), except in North America, where the abbreviation is enough to name it.
((kit) => {
  'use strict';
  const { Date, Math, RangeError, String } = globalThis;
  const { native } = kit;
  const { toText } = kit.intlLocale;

  // Standard name | daylight name | standard offset in minutes | short names | zones. Hardly anything but North America has short names.
  const table = `
    American Samoa Standard Time||-660|||Pacific/Midway Pacific/Pago_Pago Pacific/Samoa US/Samoa
    Niue Time||-660|||Pacific/Niue
    Cook Islands Standard Time||-600|||Pacific/Rarotonga
    Hawaii-Aleutian Standard Time|Hawaii-Aleutian Daylight Time|-600|HAST|HADT|America/Adak America/Atka US/Aleutian
    Hawaii-Aleutian Standard Time||-600|HST||HST Pacific/Honolulu Pacific/Johnston US/Hawaii
    Tahiti Time||-600|||Pacific/Tahiti
    Marquesas Time||-570|||Pacific/Marquesas
    Alaska Standard Time|Alaska Daylight Time|-540|AKST|AKDT|America/Anchorage America/Juneau America/Metlakatla
      America/Nome America/Sitka America/Yakutat US/Alaska
    Gambier Time||-540|||Pacific/Gambier
    Pacific Standard Time|Pacific Daylight Time|-480|PST|PDT|America/Ensenada America/Los_Angeles America/Santa_Isabel
      America/Tijuana America/Vancouver Canada/Pacific Mexico/BajaNorte PST8PDT US/Pacific
    Pitcairn Time||-480|||Pacific/Pitcairn
    Mexican Pacific Standard Time||-420|||America/Hermosillo America/Mazatlan Mexico/BajaSur
    Mountain Standard Time|Mountain Daylight Time|-420|MST|MDT|America/Boise America/Cambridge_Bay
      America/Ciudad_Juarez America/Denver America/Edmonton America/Inuvik America/Shiprock America/Yellowknife
      Canada/Mountain MST7MDT Navajo US/Mountain
    Mountain Standard Time||-420|MST||America/Creston America/Dawson_Creek America/Fort_Nelson America/Phoenix MST
      US/Arizona
    Yukon Time||-420|||America/Dawson America/Whitehorse Canada/Yukon
    Central Standard Time|Central Daylight Time|-360|CST|CDT|America/Chicago America/Indiana/Knox
      America/Indiana/Tell_City America/Knox_IN America/Matamoros America/Menominee America/North_Dakota/Beulah
      America/North_Dakota/Center America/North_Dakota/New_Salem America/Ojinaga America/Rainy_River
      America/Rankin_Inlet America/Resolute America/Winnipeg CST6CDT Canada/Central US/Central US/Indiana-Starke
    Central Standard Time||-360|CST||America/Bahia_Banderas America/Belize America/Chihuahua America/Costa_Rica
      America/El_Salvador America/Guatemala America/Managua America/Merida America/Mexico_City America/Monterrey
      America/Regina America/Swift_Current America/Tegucigalpa Canada/Saskatchewan Mexico/General
    Easter Island Standard Time|Easter Island Summer Time|-360|||Chile/EasterIsland Pacific/Easter
    Galapagos Time||-360|||Pacific/Galapagos
    Acre Standard Time||-300|||America/Eirunepe America/Porto_Acre America/Rio_Branco Brazil/Acre
    Colombia Standard Time||-300|||America/Bogota
    Cuba Standard Time|Cuba Daylight Time|-300|||America/Havana Cuba
    Eastern Standard Time|Eastern Daylight Time|-300|EST|EDT|America/Detroit America/Fort_Wayne America/Grand_Turk
      America/Indiana/Indianapolis America/Indiana/Marengo America/Indiana/Petersburg America/Indiana/Vevay
      America/Indiana/Vincennes America/Indiana/Winamac America/Indianapolis America/Iqaluit
      America/Kentucky/Louisville America/Kentucky/Monticello America/Louisville America/Montreal America/Nassau
      America/New_York America/Nipigon America/Pangnirtung America/Port-au-Prince America/Thunder_Bay America/Toronto
      Canada/Eastern EST5EDT US/East-Indiana US/Eastern US/Michigan
    Eastern Standard Time||-300|EST||America/Atikokan America/Cancun America/Cayman America/Coral_Harbour
      America/Jamaica America/Panama EST Jamaica
    Ecuador Time||-300|||America/Guayaquil
    Peru Standard Time||-300|||America/Lima
    Amazon Standard Time||-240|||America/Boa_Vista America/Campo_Grande America/Cuiaba America/Manaus
      America/Porto_Velho Brazil/West
    Atlantic Standard Time|Atlantic Daylight Time|-240|AST|ADT|America/Glace_Bay America/Goose_Bay America/Halifax
      America/Moncton America/Thule Atlantic/Bermuda Canada/Atlantic
    Atlantic Standard Time||-240|AST||America/Anguilla America/Antigua America/Aruba America/Barbados
      America/Blanc-Sablon America/Curacao America/Dominica America/Grenada America/Guadeloupe America/Kralendijk
      America/Lower_Princes America/Marigot America/Martinique America/Montserrat America/Port_of_Spain
      America/Puerto_Rico America/Santo_Domingo America/St_Barthelemy America/St_Kitts America/St_Lucia
      America/St_Thomas America/St_Vincent America/Tortola America/Virgin
    Bolivia Time||-240|||America/La_Paz
    Chile Standard Time|Chile Summer Time|-240|||America/Coyhaique America/Santiago Chile/Continental
    Guyana Time||-240|||America/Guyana
    Paraguay Standard Time|Paraguay Summer Time|-240|||America/Asuncion
    Venezuela Time||-240|||America/Caracas
    Newfoundland Standard Time|Newfoundland Daylight Time|-210|||America/St_Johns Canada/Newfoundland
    Argentina Standard Time||-180|||America/Argentina/Buenos_Aires America/Argentina/Catamarca
      America/Argentina/ComodRivadavia America/Argentina/Cordoba America/Argentina/Jujuy America/Argentina/La_Rioja
      America/Argentina/Mendoza America/Argentina/Rio_Gallegos America/Argentina/Salta America/Argentina/San_Juan
      America/Argentina/San_Luis America/Argentina/Tucuman America/Argentina/Ushuaia America/Buenos_Aires
      America/Catamarca America/Cordoba America/Jujuy America/Mendoza America/Rosario
    Brasilia Standard Time||-180|||America/Araguaina America/Bahia America/Belem America/Fortaleza America/Maceio
      America/Recife America/Santarem America/Sao_Paulo Brazil/East
    Falkland Islands Standard Time||-180|||Atlantic/Stanley
    French Guiana Time||-180|||America/Cayenne
    Rothera Time||-180|||Antarctica/Rothera
    St. Pierre & Miquelon Standard Time|St. Pierre & Miquelon Daylight Time|-180|||America/Miquelon
    Suriname Time||-180|||America/Paramaribo
    Uruguay Standard Time||-180|||America/Montevideo
    Fernando de Noronha Standard Time||-120|||America/Noronha Brazil/DeNoronha
    South Georgia Time||-120|||Atlantic/South_Georgia
    West Greenland Standard Time|Greenland Summer Time|-120|||America/Godthab America/Nuuk
    Azores Standard Time|Azores Summer Time|-60|||Atlantic/Azores
    Cape Verde Standard Time||-60|||Atlantic/Cape_Verde
    East Greenland Standard Time||-60|||America/Scoresbysund
    Greenwich Mean Time|British Summer Time|0|GMT||Europe/Belfast Europe/London GB GB-Eire
    Greenwich Mean Time||0|GMT||Europe/Guernsey Europe/Isle_of_Man Europe/Jersey
    Greenwich Mean Time||0|GMT||Antarctica/Troll
    Greenwich Mean Time|Irish Standard Time|0|GMT||Eire Europe/Dublin
    Greenwich Mean Time||0|GMT||Africa/Abidjan Africa/Accra Africa/Bamako Africa/Banjul Africa/Bissau Africa/Conakry
      Africa/Dakar Africa/Freetown Africa/Lome Africa/Monrovia Africa/Nouakchott Africa/Ouagadougou Africa/Sao_Tome
      Africa/Timbuktu America/Danmarkshavn Atlantic/Reykjavik Atlantic/St_Helena Etc/GMT+0 Etc/GMT-0 Etc/GMT0
      Etc/Greenwich Greenwich Iceland
    Western European Standard Time|Western European Summer Time|0|||Atlantic/Canary Atlantic/Faeroe Atlantic/Faroe
      Atlantic/Madeira Europe/Lisbon Portugal WET
    Central European Standard Time|Central European Summer Time|60|||Africa/Ceuta Arctic/Longyearbyen
      Atlantic/Jan_Mayen CET Europe/Amsterdam Europe/Andorra Europe/Belgrade Europe/Berlin Europe/Bratislava
      Europe/Brussels Europe/Budapest Europe/Busingen Europe/Copenhagen Europe/Gibraltar Europe/Ljubljana
      Europe/Luxembourg Europe/Madrid Europe/Malta Europe/Monaco Europe/Oslo Europe/Paris Europe/Podgorica
      Europe/Prague Europe/Rome Europe/San_Marino Europe/Sarajevo Europe/Skopje Europe/Stockholm Europe/Tirane
      Europe/Vaduz Europe/Vatican Europe/Vienna Europe/Warsaw Europe/Zagreb Europe/Zurich MET Poland
    Central European Standard Time||60|||Africa/Algiers Africa/Tunis
    West Africa Time||60|||Africa/Bangui Africa/Brazzaville Africa/Douala Africa/Kinshasa Africa/Lagos
      Africa/Libreville Africa/Luanda Africa/Malabo Africa/Ndjamena Africa/Niamey Africa/Porto-Novo
    Central Africa Time||120|||Africa/Blantyre Africa/Bujumbura Africa/Gaborone Africa/Harare Africa/Juba
      Africa/Khartoum Africa/Kigali Africa/Lubumbashi Africa/Lusaka Africa/Maputo Africa/Windhoek
    Eastern European Standard Time|Eastern European Summer Time|120|||Africa/Cairo Asia/Beirut Asia/Famagusta
      Asia/Gaza Asia/Hebron Asia/Nicosia EET Egypt Europe/Athens Europe/Bucharest Europe/Chisinau Europe/Helsinki
      Europe/Kiev Europe/Kyiv Europe/Mariehamn Europe/Nicosia Europe/Riga Europe/Sofia Europe/Tallinn Europe/Tiraspol
      Europe/Uzhgorod Europe/Vilnius Europe/Zaporozhye
    Eastern European Standard Time||120|||Africa/Tripoli Europe/Kaliningrad Libya
    Israel Standard Time|Israel Daylight Time|120|||Asia/Jerusalem Asia/Tel_Aviv Israel
    South Africa Standard Time||120|||Africa/Johannesburg Africa/Maseru Africa/Mbabane
    Arabian Standard Time||180|||Asia/Aden Asia/Baghdad Asia/Bahrain Asia/Kuwait Asia/Qatar Asia/Riyadh
    East Africa Time||180|||Africa/Addis_Ababa Africa/Asmara Africa/Asmera Africa/Dar_es_Salaam Africa/Djibouti
      Africa/Kampala Africa/Mogadishu Africa/Nairobi Indian/Antananarivo Indian/Comoro Indian/Mayotte
    Moscow Standard Time||180|||Europe/Kirov Europe/Minsk Europe/Moscow Europe/Simferopol Europe/Volgograd W-SU
    Syowa Time||180|||Antarctica/Syowa
    Türkiye Standard Time||180|||Asia/Istanbul Europe/Istanbul Turkey
    Iran Standard Time||210|||Asia/Tehran Iran
    Armenia Standard Time||240|||Asia/Yerevan
    Azerbaijan Standard Time||240|||Asia/Baku
    Georgia Standard Time||240|||Asia/Tbilisi
    Gulf Standard Time||240|||Asia/Dubai Asia/Muscat
    Mauritius Standard Time||240|||Indian/Mauritius
    Réunion Time||240|||Indian/Reunion
    Samara Standard Time||240|||Europe/Astrakhan Europe/Samara Europe/Saratov Europe/Ulyanovsk
    Seychelles Time||240|||Indian/Mahe
    Afghanistan Time||270|||Asia/Kabul
    French Southern & Antarctic Time||300|||Indian/Kerguelen
    Kazakhstan Time|East Kazakhstan Time|300|||Asia/Almaty Asia/Qostanay
    Maldives Time||300|||Indian/Maldives
    Mawson Time||300|||Antarctica/Mawson
    Pakistan Standard Time||300|||Asia/Karachi
    Tajikistan Time||300|||Asia/Dushanbe
    Turkmenistan Standard Time||300|||Asia/Ashgabat Asia/Ashkhabad
    Uzbekistan Standard Time||300|||Asia/Samarkand Asia/Tashkent
    Vostok Time||300|||Antarctica/Vostok
    West Kazakhstan Time||300|||Asia/Aqtau Asia/Aqtobe Asia/Atyrau Asia/Oral Asia/Qyzylorda
    Yekaterinburg Standard Time||300|||Asia/Yekaterinburg
    India Standard Time||330|||Asia/Calcutta Asia/Colombo Asia/Kolkata
    Nepal Time||345|||Asia/Kathmandu Asia/Katmandu
    Bangladesh Standard Time||360|||Asia/Dacca Asia/Dhaka
    Bhutan Time||360|||Asia/Thimbu Asia/Thimphu
    Indian Ocean Time||360|||Indian/Chagos
    Kyrgyzstan Time||360|||Asia/Bishkek
    Omsk Standard Time||360|||Asia/Omsk
    Cocos Islands Time||390|||Indian/Cocos
    Myanmar Time||390|||Asia/Rangoon Asia/Yangon
    Christmas Island Time||420|||Indian/Christmas
    Davis Time||420|||Antarctica/Davis
    Indochina Time||420|||Asia/Bangkok Asia/Ho_Chi_Minh Asia/Phnom_Penh Asia/Saigon Asia/Vientiane
    Khovd Standard Time||420|||Asia/Hovd
    Krasnoyarsk Standard Time||420|||Asia/Barnaul Asia/Krasnoyarsk Asia/Novokuznetsk Asia/Novosibirsk Asia/Tomsk
    Western Indonesia Time||420|||Asia/Jakarta Asia/Pontianak
    Australian Western Standard Time||480|||Antarctica/Casey Australia/Perth Australia/West
    Brunei Time||480|||Asia/Brunei
    Central Indonesia Time||480|||Asia/Makassar Asia/Ujung_Pandang
    China Standard Time||480|||Asia/Chongqing Asia/Chungking Asia/Harbin Asia/Macao Asia/Macau Asia/Shanghai PRC
    Hong Kong Standard Time||480|||Asia/Hong_Kong Hongkong
    Irkutsk Standard Time||480|||Asia/Irkutsk
    Malaysia Time||480|||Asia/Kuala_Lumpur Asia/Kuching
    Philippine Standard Time||480|||Asia/Manila
    Singapore Standard Time||480|||Asia/Singapore Singapore
    Taiwan Standard Time||480|||Asia/Taipei ROC
    Ulaanbaatar Standard Time||480|||Asia/Choibalsan Asia/Ulaanbaatar Asia/Ulan_Bator
    Australian Central Western Standard Time||525|||Australia/Eucla
    Eastern Indonesia Time||540|||Asia/Jayapura
    Japan Standard Time||540|||Asia/Tokyo Japan
    Korean Standard Time||540|||Asia/Pyongyang Asia/Seoul ROK
    Palau Time||540|||Pacific/Palau
    Timor-Leste Time||540|||Asia/Dili
    Yakutsk Standard Time||540|||Asia/Chita Asia/Khandyga Asia/Yakutsk
    Australian Central Standard Time|Australian Central Daylight Time|570|||Australia/Adelaide Australia/Broken_Hill
      Australia/South Australia/Yancowinna
    Australian Central Standard Time||570|||Australia/Darwin Australia/North
    Australian Eastern Standard Time|Australian Eastern Daylight Time|600|||Antarctica/Macquarie Australia/ACT
      Australia/Canberra Australia/Currie Australia/Hobart Australia/Melbourne Australia/NSW Australia/Sydney
      Australia/Tasmania Australia/Victoria
    Australian Eastern Standard Time||600|||Australia/Brisbane Australia/Lindeman Australia/Queensland
    Chamorro Standard Time||600|||Pacific/Guam Pacific/Saipan
    Chuuk Time||600|||Pacific/Chuuk Pacific/Truk Pacific/Yap
    Dumont d’Urville Time||600|||Antarctica/DumontDUrville
    Papua New Guinea Time||600|||Pacific/Port_Moresby
    Vladivostok Standard Time||600|||Asia/Ust-Nera Asia/Vladivostok
    Lord Howe Standard Time|Lord Howe Daylight Time|630|||Australia/LHI Australia/Lord_Howe
    Kosrae Time||660|||Pacific/Kosrae
    Magadan Standard Time||660|||Asia/Magadan Asia/Sakhalin Asia/Srednekolymsk
    New Caledonia Standard Time||660|||Pacific/Noumea
    Norfolk Island Standard Time|Norfolk Island Daylight Time|660|||Pacific/Norfolk
    Pohnpei Time||660|||Pacific/Pohnpei Pacific/Ponape
    Solomon Islands Time||660|||Pacific/Guadalcanal
    Vanuatu Standard Time||660|||Pacific/Efate
    Fiji Standard Time||720|||Pacific/Fiji
    Gilbert Islands Time||720|||Pacific/Tarawa
    Kamchatka Standard Time||720|||Asia/Anadyr Asia/Kamchatka
    Marshall Islands Time||720|||Kwajalein Pacific/Kwajalein Pacific/Majuro
    Nauru Time||720|||Pacific/Nauru
    New Zealand Standard Time|New Zealand Daylight Time|720|||Antarctica/McMurdo Antarctica/South_Pole NZ
      Pacific/Auckland
    Tuvalu Time||720|||Pacific/Funafuti
    Wake Island Time||720|||Pacific/Wake
    Wallis & Futuna Time||720|||Pacific/Wallis
    Chatham Standard Time|Chatham Daylight Time|765|||NZ-CHAT Pacific/Chatham
    Phoenix Islands Time||780|||Pacific/Enderbury Pacific/Kanton
    Samoa Standard Time||780|||Pacific/Apia
    Tokelau Time||780|||Pacific/Fakaofo
    Tonga Standard Time||780|||Pacific/Tongatapu
    Line Islands Time||840|||Pacific/Kiritimati
`;

  const utcNames = /^(?:etc\/)?(?:utc|uct|gmt|gmt0|gmt[+-]0|greenwich|zulu|universal)$/i;

  // A zone as { name, fixed, row }: `fixed` is the offset of a zone that has only one and needs no database, `row` is what
  // the table says about it, once that was asked.
  const findZone = (zone) => {
    const text = toText(zone);
    if (utcNames.test(text)) return { name: 'UTC', fixed: 0, row: undefined };
    const offset = /^([+-])([01]\d|2[0-3])(?::?([0-5]\d))?$/.exec(text);
    if (offset !== null) {
      const [, sign, hours, minutes = '00'] = offset;
      const total = 60 * hours + 1 * minutes;
      return { name: `${total === 0 ? '+' : sign}${hours}:${minutes}`, fixed: sign === '-' ? -total : total, row: undefined };
    }
    const found = /^[a-z][\w+/-]*$/i.test(text) ? native.tz(text, 0) : undefined;
    if (found === undefined) {
      throw new RangeError(`Invalid time zone specified: ${text}: use an IANA name such as "America/New_York", "UTC" or an offset such as "+05:30"`);
    }
    return { name: found[2], fixed: undefined, row: undefined };
  };

  // [minutes east of UTC, abbreviation]
  const offsetAt = (zone, epochMs) => (zone.fixed === undefined ? native.tz(zone.name, epochMs) : [zone.fixed, '']);

  const gmt = (offset, isLong) => {
    const seconds = Math.round(Math.abs(offset) * 60);
    const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
    const two = (number) => String(number).padStart(2, '0');
    let text = `GMT${offset < 0 ? '-' : '+'}${isLong ? two(h) : h}`;
    if (isLong || m !== 0 || s !== 0) text += `:${two(m)}`;
    return s === 0 ? text : `${text}:${two(s)}`;
  };

  const rows = table.replace(/\n\s+(?![^\n]*\|)/g, ' ').trim().split(/\n\s*/);

  const toRow = ([standardName, daylightName, standard, standardShort, daylightShort]) => ({
    names: [standardName, daylightName], shorts: [standardShort, daylightShort], standard: 1 * standard,
  });
  const cells = () => rows.map((text) => text.split('|'));

  // What the table says about a zone, with the abbreviations for which it holds; null if it says nothing.
  const findRow = (name) => {
    const found = cells().find((row) => row[5].split(' ').includes(name));
    if (found === undefined) return null;
    const [winter, summer] = [Date.UTC(2025, 0, 1), Date.UTC(2025, 6, 1)];
    return { ...toRow(found), abbreviations: [native.tz(name, winter)[1], native.tz(name, summer)[1]] };
  };

  const rowFor = (zone, abbreviation) => {
    zone.row ??= zone.fixed === undefined ? findRow(zone.name) : null;
    if (zone.row === null || zone.row.abbreviations.includes(abbreviation)) return zone.row;
    const isNorthAmerican = zone.row.shorts[0].endsWith('ST');
    const found = isNorthAmerican ? cells().find((row) => row[3] === abbreviation || row[4] === abbreviation) : undefined;
    return found === undefined ? null : toRow(found);
  };

  const zoneName = (zone, { offset, abbreviation }, style) => {
    if (style === 'shortOffset' || style === 'longOffset') return gmt(offset, style === 'longOffset');
    if (zone.name === 'UTC') return style === 'short' ? 'UTC' : 'Coordinated Universal Time';
    const isLong = style === 'long';
    const row = rowFor(zone, abbreviation);
    if (row !== null) {
      const names = isLong ? row.names : row.shorts;
      const ahead = offset - row.standard;
      const name = ahead === 0 ? names[0] : ahead === 60 || ahead === 30 ? names[1] : '';
      if (name !== '') return name;
    }
    return gmt(offset, isLong);
  };

  // The zones that have a name today, without the old spellings of countries and single offsets.
  const zoneNames = () =>
    ['UTC', ...cells().flatMap((row) => row[5].split(' '))]
      .filter((name) => name === 'UTC' || /^(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific)\//.test(name))
      .sort();

  return { intlZones: { findZone, offsetAt, zoneName, zoneNames } };
})
