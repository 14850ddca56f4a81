//! Numbers.

use super::{
    super::{stop::Stop, value::Value},
    Table, arg, wrong,
};

macro_rules! one {
    ($name:literal, $function:expr) => {
        ($name, 0, |_, value, _| {
            let function: fn(f64) -> f64 = $function;
            Ok(Value::Number(function(number(&value)?)))
        })
    };
}

macro_rules! two {
    ($name:literal, $function:expr) => {
        ($name, 2, |_, _, args| {
            let function: fn(f64, f64) -> f64 = $function;
            Ok(Value::Number(function(
                number(arg(args, 0))?,
                number(arg(args, 1))?,
            )))
        })
    };
}

pub(super) const TABLE: Table = &[
    one!("floor", f64::floor),
    one!("ceil", f64::ceil),
    one!("round", f64::round),
    one!("trunc", f64::trunc),
    one!("rint", f64::round_ties_even),
    one!("nearbyint", f64::round_ties_even),
    one!("fabs", f64::abs),
    one!("sqrt", f64::sqrt),
    one!("cbrt", f64::cbrt),
    one!("sin", f64::sin),
    one!("cos", f64::cos),
    one!("tan", f64::tan),
    one!("asin", f64::asin),
    one!("acos", f64::acos),
    one!("atan", f64::atan),
    one!("sinh", f64::sinh),
    one!("cosh", f64::cosh),
    one!("tanh", f64::tanh),
    one!("asinh", f64::asinh),
    one!("acosh", f64::acosh),
    one!("atanh", f64::atanh),
    one!("exp", f64::exp),
    one!("exp2", f64::exp2),
    one!("exp10", libm::exp10),
    one!("pow10", libm::exp10),
    one!("expm1", f64::exp_m1),
    one!("log", f64::ln),
    one!("log2", f64::log2),
    one!("log10", f64::log10),
    one!("log1p", f64::ln_1p),
    one!("logb", |x| if x == 0.0 {
        f64::NEG_INFINITY
    } else if x.is_finite() {
        f64::from(libm::ilogb(x))
    } else {
        x.abs()
    }),
    one!("gamma", libm::lgamma),
    one!("lgamma", libm::lgamma),
    one!("tgamma", libm::tgamma),
    one!("lgamma_r", libm::lgamma),
    one!("j0", libm::j0),
    one!("j1", libm::j1),
    one!("y0", libm::y0),
    one!("y1", libm::y1),
    one!("significand", |x| if x == 0.0 || !x.is_finite() {
        x
    } else {
        libm::scalbn(x, -libm::ilogb(x))
    }),
    one!("erf", libm::erf),
    two!("pow", libm::pow),
    two!("atan2", f64::atan2),
    two!("fmod", |a, b| a % b),
    two!("fmin", f64::min),
    two!("fmax", f64::max),
    two!("fdim", libm::fdim),
    two!("hypot", f64::hypot),
    two!("copysign", f64::copysign),
    two!("nextafter", libm::nextafter),
    two!("nexttoward", libm::nextafter),
    two!("drem", libm::remainder),
    two!("ldexp", scale),
    two!("scalb", scale),
    two!("scalbln", scale),
    ("fma", 3, |_, _, args| {
        Ok(Value::Number(
            number(arg(args, 0))?.mul_add(number(arg(args, 1))?, number(arg(args, 2))?),
        ))
    }),
    ("frexp", 0, |machine, value, _| {
        let (mantissa, exponent) = libm::frexp(number(&value)?);
        machine.heap.array(vec![
            Value::Number(mantissa),
            Value::Number(f64::from(exponent)),
        ])
    }),
    ("modf", 0, |machine, value, _| {
        let number = number(&value)?;
        let whole = number.trunc();
        let part = if number.is_infinite() {
            0.0_f64.copysign(number)
        } else {
            number - whole
        };
        machine
            .heap
            .array(vec![Value::Number(part), Value::Number(whole)])
    }),
    ("infinite", 0, |_, _, _| Ok(Value::Number(f64::INFINITY))),
    ("nan", 0, |_, _, _| Ok(Value::Number(f64::NAN))),
    ("isinfinite", 0, |_, value, _| {
        Ok(Value::Bool(number(&value)?.is_infinite()))
    }),
    ("isnan", 0, |_, value, _| {
        Ok(Value::Bool(number(&value)?.is_nan()))
    }),
    ("isnormal", 0, |_, value, _| {
        Ok(Value::Bool(number(&value)?.is_normal()))
    }),
    ("null", 0, |_, _, _| Ok(Value::Null)),
    ("true", 0, |_, _, _| Ok(Value::Bool(true))),
    ("false", 0, |_, _, _| Ok(Value::Bool(false))),
];

fn scale(number: f64, exponent: f64) -> f64 {
    libm::scalbn(number, exponent.clamp(-10_000.0, 10_000.0) as i32)
}

fn number(value: &Value) -> Result<f64, Stop> {
    value
        .as_number()
        .ok_or_else(|| wrong(value, "number required"))
}
