"""Code with its tests, run by unittest and doctest."""
import doctest, io, unittest
from unittest import mock

def roman(number):
    """
    >>> roman(1994)
    'MCMXCIV'
    >>> roman(0)
    Traceback (most recent call last):
        ...
    ValueError: no such numeral: 0
    """
    if number < 1:
        raise ValueError(f"no such numeral: {number}")
    text = ""
    for value, digits in [(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]:
        count, number = divmod(number, value)
        text += digits * count
    return text

class RomanTest(unittest.TestCase):
    def test_all(self):
        for number, text in [(4, "IV"), (9, "IX"), (2024, "MMXXIV")]:
            with self.subTest(number=number):
                self.assertEqual(roman(number), text)

    def test_wrong(self):
        self.assertEqual(roman(5), "IIIII")

    def test_mocked(self):
        with mock.patch(f"{__name__}.roman", return_value="?") as mocked:
            self.assertEqual(roman(3), "?")
        mocked.assert_called_once_with(3)

    @unittest.expectedFailure
    def test_of_nothing(self):
        self.assertEqual(roman(0), "")

print(doctest.testmod())
result = unittest.TextTestRunner(stream=io.StringIO()).run(unittest.defaultTestLoader.loadTestsFromTestCase(RomanTest))
print(result.testsRun, [case.id() for case, _ in result.failures], len(result.expectedFailures), result.wasSuccessful())
