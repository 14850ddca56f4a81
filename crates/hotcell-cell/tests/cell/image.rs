//! Only the image this library was built with is ever run.

use hotcell_cell::{CellError, Engine, EngineOptions, ImageError};

fn load(image: &[u8]) -> CellError {
    let error =
        Engine::from_image_bytes(image, &EngineOptions::default().max_cells(4)).unwrap_err();
    assert_eq!(error.code(), "ERR_SES_INIT_FAILED");
    error
}

#[test]
fn damaged_and_foreign_images_are_refused() {
    assert!(matches!(
        load(b""),
        CellError::Image(ImageError::NotAnImage)
    ));
    assert!(matches!(
        load(&[0; 4096]),
        CellError::Image(ImageError::NotAnImage)
    ));
    let mut header = b"HOTCELL\x03".to_vec();
    header.extend([7; 5000]);
    assert!(matches!(
        load(&header),
        CellError::Image(ImageError::Foreign { .. })
    ));
    // The right build, but not its content.
    let mut damaged = b"HOTCELL\x03".to_vec();
    damaged.extend(
        Engine::with_options(&EngineOptions::default().max_cells(4))
            .unwrap()
            .build_id()
            .as_bytes(),
    );
    damaged.extend([0; 5000]);
    assert!(matches!(
        load(&damaged),
        CellError::Image(ImageError::Damaged)
    ));
}

#[test]
fn a_process_may_have_several_engines() {
    let engines: Vec<Engine> = (0..3)
        .map(|_| Engine::with_options(&EngineOptions::default().max_cells(4)).unwrap())
        .collect();
    for engine in engines.iter().chain(&engines) {
        let mut cell = engine.cell(hotcell_cell::CellOptions::default()).unwrap();
        assert_eq!(crate::support::eval(&mut cell, "6 * 7"), 42.into());
    }
    drop(engines);
    let engine = Engine::with_options(&EngineOptions::default().max_cells(4)).unwrap();
    let mut cell = engine.cell(hotcell_cell::CellOptions::default()).unwrap();
    assert_eq!(crate::support::eval(&mut cell, "6 * 7"), 42.into());
}
